import ArgumentParser
import FleetModel
import Glibc
import World

/// What `--mode live` has to know besides: how fast, and which Cloud.
struct LiveOptions: ParsableArguments {
    @Option(help: "Live: virtual seconds a second; default 1.") var speed: Double?
    @Option(help: "Live: URL of a homeroom-cloud that serves with --testbed; default: one is started.")
    var cloud: String?
    @Option(help: "Live: the administrator's token of --cloud; it stands in server.json of its data folder.")
    var cloudToken: String?
    @Option(help: "Live: the homeroom-cloud to start; default: beside this command or in Cloud/.build.")
    var cloudProgram: String?

    static let speedMax = 1000.0

    func validate(_ mode: Mode) throws {
        guard mode == .live else {
            guard speed == nil, cloud == nil, cloudToken == nil, cloudProgram == nil else {
                throw ValidationError("--speed and --cloud... are for --mode live")
            }
            return
        }
        guard let speed = Optional(speed ?? 1), speed > 0, speed <= Self.speedMax else {
            throw ValidationError("--speed takes more than 0 and at most \(Int(Self.speedMax))")
        }
        guard (cloud == nil) == (cloudToken == nil) else {
            throw ValidationError("--cloud and --cloud-token belong together")
        }
        if let cloud, !cloud.hasPrefix("http://") && !cloud.hasPrefix("https://") || cloud.dropFirst(8).contains("/") {
            throw ValidationError("--cloud takes scheme, host and port, as http://127.0.0.1:8080, not '\(cloud)'")
        }
    }

    /// - Throws: `CommandProblem` (3) when there is no Cloud to start.
    func settings() throws -> LiveSettings {
        let address = cloud.flatMap { url in cloudToken.map { CloudAddress(origin: url, token: $0) } }
        let program = address == nil ? try CloudProgram.required(cloudProgram) : nil
        return LiveSettings(speed: speed ?? 1, program: program, cloud: address)
    }
    /// The options again, for the command that repeats a run.
    var words: String {
        var words = ""
        if let speed { words += " --speed \(speed)" }
        if let cloud, let cloudToken {
            words += " --cloud \(Shell.quoted(cloud)) --cloud-token \(Shell.quoted(cloudToken))"
        }
        if let cloudProgram { words += " --cloud-program \(Shell.quoted(cloudProgram))" }
        return words
    }
}

/// Where the Cloud's server may lie.
enum CloudProgram {
    static var found: String? { first(of: places) }
    /// - Parameter named: the caller's choice; nil: where it usually lies.
    /// - Throws: `CommandProblem` (3) when it is not there.
    static func required(_ named: String?) throws -> String {
        let places = named.map { [$0] } ?? self.places
        if let found = first(of: places) { return found }
        throw CommandProblem.badInput(
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
    /// Program of the server to start; nil when `cloud` is there.
    var program: String?
    var cloud: CloudAddress?
}

extension LiveSettings {
    /// What `live` does not show, for the report.
    var remarks: [String] {
        [
            "the seed fixed who did what and which faults came, not the order of things: another run may differ",
            "time went \(speed) times as fast as a clock's; iPads and apps saw one clock, the Cloud the machine's own",
            "the network was this machine's with the faults of the scenario, without the latency and bandwidth that it gives",
        ]
    }
}
