import CloudCore
import FleetModel
import Foundation
import Storage

/// The secret of a folder is there and cannot be read.
public struct UnreadableSecret: Error, CustomStringConvertible {
    let path: String
    public var description: String {
        "the secret in '\(path)' is empty or cannot be read; make it readable or put it back: with another one tokens, "
            + "URLs and sealed items of this folder are worthless"
    }
}

/// The folder holds an iCloud, and the secret that it was made with is gone.
public struct MissingSecret: Error, CustomStringConvertible {
    let path: String
    public var description: String {
        "'\(path)' is missing, and the database in the same folder was made with it: without it tokens, URLs and sealed items are "
            + "worthless; put it back from a copy, or take another folder with --data"
    }
}

/// The folder in which one iCloud lies: its database, its secret, and how to reach the server that has it open.
public struct DataFolder: Sendable {
    public let path: String
    /// What of it others can read, and what to do about it.
    public let warnings: [String]

    /// - Throws: `Problem` when it is not there and cannot be made.
    public init(_ path: String) throws {
        self.path = path
        do {
            // Everybody's records lie in it.
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw Problem.file(path, error) }
        warnings = Self.tighten(path)
    }

    /// Sees to it that nobody but the owner reads the folder and what lies in it, also in one that was there before. A folder that holds no
    /// iCloud may be everybody's (`/tmp`): it keeps its rights, and what is made in it has its own.
    /// - Returns: what stays open to others because its rights cannot be changed, in words.
    private static func tighten(_ path: String) -> [String] {
        let isOurs = FileManager.default.fileExists(atPath: path + "/" + database)
        return ((isOurs ? [""] : []) + secrets).compactMap { name in
            let file = name.isEmpty ? path : path + "/" + name
            guard let found = try? FileManager.default.attributesOfItem(atPath: file),
                let rights = (found[.posixPermissions] as? NSNumber)?.intValue, rights & 0o077 != 0,
                found[.type] as? FileAttributeType != .typeSymbolicLink
            else { return nil }
            let wanted = name.isEmpty ? 0o700 : 0o600
            do {
                try FileManager.default.setAttributes([.posixPermissions: wanted], ofItemAtPath: file)
                return nil
            } catch {
                return
                    "'\(file)' is open to other accounts of this machine (\(String(rights, radix: 8))), and its rights cannot be "
                    + "changed; change them to \(String(wanted, radix: 8))"
            }
        }
    }
    private static let database = "cloud.db"
    private static let secrets = [
        database, "\(database)-wal", "\(database)-shm", "\(database)-journal", "secret", nextSecret, "server.json",
        "key.pem",
    ]
    /// The folder itself; nobody else looks into it.
    public var location: URL { URL(fileURLWithPath: path) }
    private func url(_ name: String) -> URL { URL(fileURLWithPath: path).appendingPathComponent(name) }

    /// Opens the core. The secret is made once; without it tokens and URLs given out before are worthless.
    /// - Parameter isTestbed: as the World's Cloud: a name is enough to sign in, production takes everything, and what
    ///   requests lead to is kept for the judges.
    /// - Throws: `Problem` when a server has it open, or nobody can open what lies there; `MissingSecret`.
    public func open(
        isDevelopment: Bool, isTestbed: Bool = false, origin: String, settings: CloudSettings = CloudSettings()
    ) throws -> Cloud {
        var generator = SystemRandomNumberGenerator()
        do {
            let database = try database(entropy: generator.next())
            try requireSecret(database)
            try settleSecret(database)
            try checkSecret(database)
            var spec = try spec(isDevelopment: isDevelopment, origin: origin)
            spec["settings"] = settings.spec
            if isTestbed { for (key, value) in Self.testbed { spec[key] = .bool(value) } }
            return try Cloud(spec: spec, database: database)
        } catch let error as DatabaseError where error.isLocked {
            let place = running.map { " at \($0.origin)" } ?? ""
            throw Problem("a server\(place) has the folder '\(path)' open; stop it, or take another folder with --data")
        } catch let error as DatabaseError {
            throw Problem(
                "the data folder '\(path)' cannot be used: \(error.message) (SQLite \(error.code)); look for rights and space there, "
                    + "or take another folder with --data")
        }
    }
    /// A new secret opens nothing in an old database, and the first request that needs it would fail.
    private func requireSecret(_ database: Database) throws {
        let isThere = { (name: String) in (try? FileManager.default.attributesOfItem(atPath: url(name).path)) != nil }
        guard !isThere("secret"), !isThere(Self.nextSecret), try database.hasTable("owner") else { return }
        throw MissingSecret(path: url("secret").path)
    }
    /// The same of one that came from elsewhere.
    private func checkSecret(_ database: Database) throws {
        guard try database.hasTable("maker"), try !Cloud.isMade(database, with: secret()) else { return }
        throw Problem(
            "the database in '\(path)' was made with another secret than '\(url("secret").path)'; put that one back")
    }
    /// Nobody but the owner reads it; SQLite gives its journals the same rights (https://www.sqlite.org/src/file/src/os_unix.c,
    /// `findCreateFileMode`).
    private func database(entropy: UInt64) throws -> Database {
        let file = url(Self.database).path
        if !FileManager.default.fileExists(atPath: file) {
            guard FileManager.default.createFile(atPath: file, contents: nil, attributes: [.posixPermissions: 0o600])
            else {
                throw Problem("'\(file)' cannot be made; look for space and rights there")
            }
        }
        return try Database(file: file, entropy: entropy)
    }
    /// After an import that was broken off: the database says whether it still holds what was made with the old secret, or
    /// already what came with the new one.
    private func settleSecret(_ database: Database) throws {
        guard let data = try? Data(contentsOf: url(Self.nextSecret)), let next = String(data: data, encoding: .utf8)
        else {
            return
        }
        if try Cloud.isMade(database, with: next) { try write(next, "secret") }
        try FileManager.default.removeItem(at: url(Self.nextSecret))
    }
    private static let nextSecret = "secret.next"
    private static let testbed = [("closedProduction", false), ("closedSignIn", false), ("history", true)]
    /// How the core is set up.
    func spec(isDevelopment: Bool, origin: String) throws -> Value {
        spec(isDevelopment: isDevelopment, origin: origin, secret: try secret())
    }
    private func spec(isDevelopment: Bool, origin: String, secret: String) -> Value {
        [
            "accounts": [], "closedProduction": true, "closedSignIn": .bool(!isDevelopment),
            "dev": .bool(isDevelopment), "origin": .string(origin), "secret": .string(secret),
            "seed": .int(Int64(bitPattern: StableHash.of(0, secret))),
        ]
    }
    /// What names, tokens and seals are made from; made at the first need.
    /// - Throws: when there is one that cannot be read: another would make everything that was given out worthless.
    public func secret() throws -> String {
        let path = url("secret").path
        // A link that leads nowhere is there too: a volume may not be mounted.
        if (try? FileManager.default.attributesOfItem(atPath: path)) != nil {
            guard let data = try? Data(contentsOf: url("secret")), !data.isEmpty,
                let text = String(data: data, encoding: .utf8)
            else { throw UnreadableSecret(path: path) }
            return text
        }
        let text = RandomSecret.make()
        try write(text, "secret")
        return text
    }
    /// Takes over the secret of another folder with what it holds, which `body` puts into a core that was opened with it. The
    /// rows and the mark of their secret come in one transaction; until it is done the old secret stays, because what is
    /// there was made with it. A kill at any moment leaves one of the two whole.
    public func keep(secret: String, origin: String, _ body: (sending Cloud) async throws -> Void) async throws {
        // What lies here is brought to the present form with its own secret first.
        _ = try open(isDevelopment: false, origin: origin)
        try write(secret, Self.nextSecret)
        var generator = SystemRandomNumberGenerator()
        do {
            let database = try database(entropy: generator.next())
            try await body(
                try Cloud(spec: spec(isDevelopment: false, origin: origin, secret: secret), database: database))
        } catch {
            try? FileManager.default.removeItem(at: url(Self.nextSecret))
            throw error
        }
        try write(secret, "secret")
        try FileManager.default.removeItem(at: url(Self.nextSecret))
    }
    /// The folder's own certificate for a server on `host`; made at the first need, and again before it is too old.
    public func certificate(host: String) throws -> ServerCertificate {
        let texts = ["certificate.pem", "key.pem"].map { try? String(contentsOf: url($0), encoding: .utf8) }
        if let certificate = texts[0], let key = texts[1],
            let known = ServerCertificate(certificate: certificate, key: key, host: host)
        {
            return known
        }
        let made = try ServerCertificate(host: host)
        try write(made.key, "key.pem")
        try write(made.certificate, "certificate.pem")
        return made
    }
    /// Where clients find the certificate that they are to trust.
    public var certificatePath: String { url("certificate.pem").path }

    /// Only the owner of the folder reads what is written; it is there whole or not at all, after a power cut too.
    private func write(_ text: String, _ name: String) throws {
        let temporary = url(name + ".new").path
        guard
            FileManager.default.createFile(
                atPath: temporary, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw Problem("'\(temporary)' cannot be written; look for space and rights there") }
        try flush(temporary)
        guard rename(temporary, url(name).path) == 0 else {
            throw Problem("'\(url(name).path)' cannot be replaced; look for rights there")
        }
        try flush(path)
    }
    private func flush(_ path: String) throws {
        let file = Foundation.open(path, O_RDONLY)
        guard file >= 0 else { throw Problem("'\(path)' cannot be opened again; look for rights there") }
        defer { close(file) }
        guard fsync(file) == 0 else { throw Problem("'\(path)' cannot be made durable; look for space there") }
    }

    // MARK: The running server

    /// Where the server is that has the folder open, as it said itself.
    public struct Running: Sendable {
        public var origin: String
        public var token: String
        /// File of the certificate to trust; nil: plain HTTP.
        public var certificate: String?

        public init(origin: String, token: String, certificate: String? = nil) {
            self.origin = origin
            self.token = token
            self.certificate = certificate
        }
    }
    /// - Parameter descriptor: where it is told too, to whoever has started the server and waits for it.
    public func announce(_ running: Running, to descriptor: Int32? = nil) throws {
        var value: Value = ["origin": .string(running.origin), "token": .string(running.token)]
        value["certificate"] = running.certificate.map(Value.string)
        try write(value.json, "server.json")
        guard let descriptor else { return }
        let pipe = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        try pipe.write(contentsOf: Data(value.json.utf8))
        try pipe.close()
    }
    public var running: Running? {
        guard let data = try? Data(contentsOf: url("server.json")), let value = try? Value(json: Array(data)),
            let origin = value["origin"]?.string, let token = value["token"]?.string
        else { return nil }
        return Running(origin: origin, token: token, certificate: value["certificate"]?.string)
    }
    public func withdraw() { try? FileManager.default.removeItem(at: url("server.json")) }
}
