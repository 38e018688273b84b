import ArgumentParser
import FleetModel
import Glibc
import Live
import Load
import Run

/// What `--mode live` has to know where each run starts its own Cloud: how fast, and which program that is.
struct OwnCloudOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: "Live: virtual seconds a second; default 1.") var speed: Double?
    @Option(help: "Live: the homeroom-cloud to start; default: beside this command or in Cloud/.build.")
    var cloudProgram: String?

    static let speedMax = 1000.0

    var isGiven: Bool { speed != nil || cloudProgram != nil }

    func validate(_ mode: Mode) throws {
        guard mode == .live || !isGiven else {
            throw ValidationError("--speed and --cloud-program are for --mode live")
        }
        try Self.validate(speed: speed ?? 1)
    }
    /// Everybody in a run, and the network before them, takes the same speeds.
    static func validate(speed: Double) throws {
        guard speed > 0, speed <= speedMax else {
            throw ValidationError("--speed takes more than 0 and at most \(Int(speedMax))")
        }
    }

    /// The options again, for another command.
    var words: [String] {
        (speed.map { ["--speed", "\($0)"] } ?? []) + (cloudProgram.map { ["--cloud-program", $0] } ?? [])
    }
}

/// What `--mode live` has to know besides: how fast, and which Cloud.
struct LiveOptions: ParsableArguments {
    @OptionGroup var own: OwnCloudOptions
    @Option(help: "Live: URL of a homeroom-cloud that serves with --testbed; default: one is started.")
    var cloud: String?
    @Option(help: "Live: the administrator's token of --cloud; it stands in server.json of its data folder.")
    var cloudToken: String?
    @Option(help: "Live: server.json of the Cloud's data folder instead of URL and token; waited for up to a minute.")
    var cloudFile: String?
    @Option(help: "Live: play part I/N of the run, its iPads spread over N commands and one Cloud; join them by merge.")
    var shard: Shard?

    func validate(_ mode: Mode) throws {
        guard mode == .live else {
            guard !own.isGiven, cloud == nil, cloudToken == nil, cloudFile == nil, shard == nil
            else { throw ValidationError("--speed, --shard and --cloud... are for --mode live") }
            return
        }
        guard shard?.isWhole != true else { throw ValidationError("--shard 1/1 is the whole run: leave it out") }
        guard shard == nil || cloud != nil || cloudFile != nil else {
            throw ValidationError(
                "--shard needs the Cloud that all parts share: --cloud-file, or --cloud and --cloud-token")
        }
        try own.validate(mode)
        guard cloudFile == nil ? (cloud == nil) == (cloudToken == nil) : cloudToken == nil else {
            throw ValidationError(
                "--cloud and --cloud-token belong together; with --cloud-file, --cloud is where iPads find that Cloud, and no token is needed"
            )
        }
        if let cloud, !cloud.hasPrefix("http://") && !cloud.hasPrefix("https://") || cloud.dropFirst(8).contains("/") {
            throw ValidationError("--cloud takes scheme, host and port, as http://127.0.0.1:8080, not '\(cloud)'")
        }
    }

    /// - Throws: `RunEnd.input` when there is no Cloud to start, or none is announced.
    func settings() throws -> LiveSettings {
        let address =
            try cloudFile.map { try CloudFile.read($0, way: cloud) }
            ?? cloud.flatMap { url in cloudToken.map { CloudAddress(origin: url, token: $0) } }
        let program = address == nil ? try CloudProgram.required(own.cloudProgram) : nil
        return LiveSettings(speed: own.speed ?? 1, program: program, cloud: address, shard: shard ?? .whole)
    }
    /// The options again, for the command that repeats a run. The token is a secret, and another Cloud has another: it is not told.
    var words: String {
        var words = own.words.map { " " + Shell.quoted($0) }.joined()
        let texts = [("cloud", cloud), ("cloud-token", cloudToken.map { _ in "TOKEN" }), ("cloud-file", cloudFile)]
        for (name, text) in texts { if let text { words += " --\(name) \(Shell.quoted(text))" } }
        if let shard { words += " --shard \(shard)" }
        return words
    }
}

/// Where the Cloud's server may lie.
enum CloudProgram {
    static var found: String? { first(of: places) }
    /// - Parameter named: the caller's choice; nil: where it usually lies.
    /// - Throws: `RunEnd.input` when it is not there.
    static func required(_ named: String?) throws -> String {
        let places = named.map { [$0] } ?? self.places
        if let found = first(of: places) { return found }
        if let named, Folders.exists(named) {
            throw RunEnd.input(
                "\(named) is no program: \(Folders.isFolder(named) ? "it is a folder" : "it may not be executed (chmod +x)"); "
                    + "name a homeroom-cloud by --cloud-program")
        }
        throw RunEnd.input(
            "live needs the server homeroom-cloud, and there is none at \(places.joined(separator: " or ")); build it with "
                + "'swift build --package-path Cloud', or name it by --cloud-program")
    }
    /// The first that can be started.
    static func first(of places: [String]) -> String? {
        places.first { access($0, X_OK) == 0 && !Folders.isFolder($0) }
    }
    static var places: [String] {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard length > 0 else { return [] }
        let own = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let parts = own.split(separator: "/").map(String.init)
        var places = ["/" + (parts.dropLast() + ["homeroom-cloud"]).joined(separator: "/")]
        // In a clone: .build/<machine>/debug/homeroom.
        if let build = parts.lastIndex(of: ".build"), parts.count >= 2 {
            let root = "/" + parts[..<build].joined(separator: "/")
            let kind = parts[parts.count - 2]
            for kind in [kind, "release", "debug"] { places.append("\(root)/Cloud/.build/\(kind)/homeroom-cloud") }
        }
        return places
    }
}

/// How a live run is set up.
struct LiveSettings {
    var speed: Double
    /// Program of the server to start; nil when there is a Cloud already.
    var program: String?
    var cloud: CloudAddress?
    var shard = Shard.whole
}

extension Shard: ExpressibleByArgument {
    /// `I/N` of the command line; nil for anything else.
    public init?(argument: String) { self.init(argument) }
}

extension LiveSettings {
    /// How well the clock of a Cloud was known that may be on another machine: its notes may stand so far from their place.
    /// - Parameter error: real nanoseconds.
    func remark(clockError error: Int64) -> String {
        let virtual = Span(nanoseconds: error).scaled(by: speed)
        return "clocks agreed with the Cloud's to \(Span(nanoseconds: error).short), "
            + "which is \(virtual.short) of the run's time"
    }
    /// What `live` does not show, for the report.
    var remarks: [String] {
        let network = program == nil ? "the one on the way to a Cloud that was there" : "this machine's"
        return [
            "the seed fixed who did what and which faults came, not the order of things: another run may differ",
            "time went \(speed) times as fast as a clock's; iPads and apps saw one clock, the Cloud the machine's own",
            "the network was \(network), with the faults of the scenario, without its latency and bandwidth",
        ]
    }
}
