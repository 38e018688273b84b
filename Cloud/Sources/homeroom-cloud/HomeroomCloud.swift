import ArgumentParser
import CloudCore
import CloudServer
import FleetModel
import Foundation
import Hummingbird
import Logging
import Storage

/// A local iCloud.
@main
struct HomeroomCloud: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homeroom-cloud", abstract: "A local iCloud that speaks CloudKit Web Services.",
        discussion: "Exit status: 0 done, 1 'kills' found a loss, 3 bad input or usage, 4 it failed by itself.",
        subcommands: [
            Serve.self, Keys.self, SchemaCommand.self, Accounts.self, Tokens.self, Containers.self, Export.self,
            Import.self, BenchCommand.self, KillsCommand.self,
        ])

    static func main() async {
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            try requirePrinted()
        } catch { Foundation.exit(report(error)) }
    }

    /// Prints what went wrong and gives the exit status that says so: the numbers are those of `homeroom`.
    private static func report(_ error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        let (message, code) = (fullMessage(for: error), exitCode(for: error))
        guard code != .success else {
            print(message)
            return 0
        }
        // Where nobody can be told, the status still says it.
        try? FileHandle.standardError.write(contentsOf: Data("\(message)\n".utf8))
        return code == .validationFailure || isInput(error) ? 3 : 4
    }
    /// Whether who called can mend it.
    private static func isInput(_ error: any Error) -> Bool {
        if let full = error as? DatabaseError { return full.isFull }
        // What Foundation says of files: rights, space, a device that cannot be read.
        return error is Problem || error is UnreadableSecret || error is MissingSecret || error is CloudSpecError
            || error is LineReader.TooLong
            || (error as NSError).domain == NSCocoaErrorDomain
    }
}

struct DataOption: ParsableArguments {
    @Option(help: "Folder in which the iCloud lies; made when missing.")
    var data: String

    /// Sends a command to the server that has the folder open, or carries it out on the folder itself.
    func command(_ name: String, _ body: Value) async throws -> Value {
        let folder = try DataFolder(data)
        if let running = folder.running, let answer = await Administrator(running: running).command(name, body) {
            return try checked(answer)
        }
        let cloud = try folder.open(isDevelopment: false, origin: "http://127.0.0.1")
        return try checked(await Engine(cloud).command(Message(name, body)))
    }
    /// Whether a server has the folder open.
    func isServed() async -> Bool {
        guard let running = try? DataFolder(data).running else { return false }
        return await Administrator(running: running).command("cloud.accounts", .empty) != nil
    }
    private func checked(_ answer: Value) throws -> Value {
        if let reason = answer["refused"]?.string { throw Problem(reason) }
        return answer
    }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serves until it is told to stop (SIGTERM, SIGINT).")

    @OptionGroup var folder: DataOption
    @Option(parsing: .unconditional, help: "0 takes a free one, which is printed; it may be another at each start.")
    var port = 8080
    @Option(help: "Address to listen on.")
    var host = "127.0.0.1"
    @Option(help: "Scheme and host in the URLs that answers hold; by default where it listens.")
    var origin: String?
    @Flag(help: "Any container is there, ckAPIToken=dev and ckWebAuthToken=person:NAME are good.")
    var dev = false
    @Flag(help: "For homeroom run --mode live: iPads sign in by name; what requests lead to is kept for the verdict.")
    var testbed = false
    @Flag(help: "HTTPS, with a certificate that is made in the data folder; clients are told to trust that file.")
    var tls = false
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Takes the other side where sources of the protocol differ; see Docs/cloud-api.md.", valueName: "NAME=VALUE"
        ))
    var settings: [String] = []
    @Option(parsing: .unconditional, help: "Descriptor on which it tells what server.json holds, once it listens.")
    var announceTo: Int32?
    @Flag(help: "One line a request on standard error.")
    var log = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port wants 0 to 65535, not \(port)") }
        if let origin, !ServeOption.isOrigin(origin) {
            throw ValidationError("--origin wants scheme and host, as http://cloud.example:8080, not '\(origin)'")
        }
        if let announceTo, !ServeOption.isWritable(announceTo) {
            throw ValidationError(
                "--announce-to wants a descriptor that is open to be written, and \(announceTo) is not: open it for the server, as in "
                    + "'--announce-to 9 9>FILE'")
        }
        _ = try chosen()
    }
    private func chosen() throws -> CloudSettings {
        var chosen = CloudSettings()
        for setting in settings {
            let sides = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2 else { throw ValidationError("--set wants NAME=VALUE, not '\(setting)'") }
            do { try chosen.set(sides[0], to: sides[1]) } catch { throw ValidationError("\(error)") }
        }
        return chosen
    }

    /// What a stranger on the network may do because of how the server was started.
    private func openness() -> [String] {
        guard !["127.0.0.1", "::1", "localhost"].contains(host) else { return [] }
        let modes = [(dev, "--dev"), (testbed, "--testbed")].filter(\.0).map(\.1)
        var warnings: [String] = []
        if !modes.isEmpty {
            warnings.append(
                "with \(modes.joined(separator: " and ")) a name is enough to sign in, and at \(host) everybody in the network can: "
                    + "listen on 127.0.0.1, or keep others out by a firewall")
        }
        if !tls { warnings.append("what travels to \(host) is not encrypted; add --tls") }
        return warnings
    }
    private static func warn(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("warning: \(text)\n".utf8))
    }

    func run() async throws {
        var logger = Logger(label: "homeroom-cloud", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = log ? .info : .warning
        let data = try DataFolder(folder.data)
        for warning in data.warnings + openness() { Self.warn(warning) }
        let named = origin
        let here = named ?? Server.origin(isEncrypted: tls, host: host, port: port)
        let engine = Engine(try data.open(isDevelopment: dev, isTestbed: testbed, origin: here, settings: chosen()))
        let token = RandomSecret.make()
        let server = Server(engine: engine, adminToken: token, log: logger, scratch: data.location)
        let (host, isDev, isEncrypted, descriptor) = (host, dev, tls, announceTo)
        let certificate = tls ? try data.certificate(host: host) : nil
        let trusted = tls ? data.certificatePath : nil
        let application = try server.application(host: host, port: port, certificate: certificate) { port in
            let origin = Server.origin(isEncrypted: isEncrypted, host: host, port: port)
            // A free port is known now; nobody else has been told of it yet.
            if named == nil { await engine.listens(at: origin) }
            let running = DataFolder.Running(origin: origin, token: token, certificate: trusted)
            try? data.announce(running, to: descriptor)
            print("homeroom-cloud listens on \(origin)\(isDev ? " for development" : "")")
            if let trusted { print("clients trust it by \(trusted)") }
            fflush(nil)
        }
        defer { data.withdraw() }
        do { try await Server.group(application, log: logger).run() } catch {
            throw Problem.starting(on: host, port, error)
        }
    }
}

struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keys with which servers sign.", subcommands: [Add.self, Revoke.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Registers a public key; its ID is the last word printed.")
        @OptionGroup var folder: DataOption
        @Option var container: String
        @Option(help: "PEM file of an EC P-256 public key.")
        var publicKey: String

        func run() async throws {
            let pem: String
            do { pem = try String(contentsOfFile: publicKey, encoding: .utf8) } catch {
                throw Problem.file(publicKey, error)
            }
            let bytes: [UInt8]
            do { bytes = try PublicKey.bytes(pem: pem) } catch {
                throw Problem("\(publicKey) holds no PEM public key of the curve P-256 (prime256v1)")
            }
            let body: Value = ["container": .string(container), "publicKey": .string(Base64.encode(bytes))]
            let answer = try await folder.command("cloud.key", body)
            print("key ID for \(container): \(answer["keyID"]?.string ?? "")")
        }
    }
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a key worthless.")
        @OptionGroup var folder: DataOption
        @Option(name: .customLong("key-id")) var keyID: String
        func run() async throws { _ = try await folder.command("cloud.revokeKey", ["keyID": .string(keyID)]) }
    }
}

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Schemas of containers.", subcommands: [Deploy.self])

    struct Deploy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Copies the development schema to production.")
        @OptionGroup var folder: DataOption
        @Option var container: String
        func run() async throws {
            _ = try await folder.command("cloud.deploy", ["container": .string(container)])
            print("deployed the schema of \(container)")
        }
    }
}

struct Accounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "People.", subcommands: [Add.self, List.self, Password.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes or changes an account.")
        @OptionGroup var folder: DataOption
        @Argument var name: String
        @Option var email: String?
        @Option var phone: String?
        @Option var firstName: String?
        @Option var lastName: String?
        @Flag(inversion: .prefixedNo, help: "Whether others find the person.")
        var discoverable: Bool?

        func run() async throws {
            var body: Value = ["account": .string(name)]
            body["emailAddress"] = email.map(Value.string)
            body["phoneNumber"] = phone.map(Value.string)
            body["firstName"] = firstName.map(Value.string)
            body["lastName"] = lastName.map(Value.string)
            body["discoverable"] = discoverable.map(Value.bool)
            _ = try await folder.command("cloud.account", body)
        }
    }
    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a new password, with which devices and browsers sign in; it is the last word printed.")
        @OptionGroup var folder: DataOption
        @Argument var name: String
        func run() async throws {
            let answer = try await folder.command("cloud.password", ["account": .string(name)])
            print("password of \(name): \(answer["password"]?.string ?? "")")
        }
    }
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the names of all accounts.")
        @OptionGroup var folder: DataOption
        func run() async throws {
            for name in try await folder.command("cloud.accounts", .empty)["accounts"]?.strings ?? [] { print(name) }
        }
    }
}

struct Tokens: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tokens of web clients.", subcommands: [API.self, Web.self])

    struct API: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "api", abstract: "Makes an API token; it is the last word printed and never shown again.")
        @OptionGroup var folder: DataOption
        @Option var container: String
        @Option var environment = "development"
        @Option(help: "URL to which a sign-in with this token appends the web-auth token.")
        var callback: String?
        @Option(help: "The only origin whose windows are told the web-auth token; any without it.")
        var origin: String?
        func run() async throws {
            var body: Value = ["container": .string(container), "environment": .string(environment)]
            body["callback"] = callback.map(Value.string)
            body["origin"] = origin.map(Value.string)
            print("API token: \(try await folder.command("cloud.apiToken", body)["token"]?.string ?? "")")
        }
    }
    struct Web: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "web", abstract: "Makes a person's first web-auth token; it is the last word printed.")
        @OptionGroup var folder: DataOption
        @Argument var name: String
        @Option var container: String
        @Option var environment = "development"
        @Flag(help: "Good for two weeks instead of half an hour.")
        var stays = false
        func run() async throws {
            let body: Value = [
                "account": .string(name), "container": .string(container), "environment": .string(environment),
                "stays": .bool(stays),
            ]
            print("web-auth token: \(try await folder.command("cloud.webToken", body)["token"]?.string ?? "")")
        }
    }
}
