import FleetModel

/// Why a declaration cannot be used: file, place in it, and what to do.
public struct ProgramProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// File, place in it, what is wrong and what would be right.
    public var message: String
    /// From its message.
    public init(_ message: String) { self.message = message }
    /// The message.
    public var description: String { message }
}

/// An app that is a program in any language: what its declaration says.
public struct AppProgram: Hashable, Sendable {
    /// What the iPads and the Cloud know of the app; checked, and promised for each kind that an action touches.
    public var manifest: AppManifest
    /// Program and arguments, never empty.
    public var command: [String]
    /// The folder of the declaration: its working directory.
    public var folder: String
    /// What it gets in addition to `standardEnvironment`.
    public var environment: [String: String]
    /// The declaration, as it was given.
    public var file: String

    /// What every program gets, and nothing else of the machine but `PATH`: no program may see where it runs, or hash in another order.
    public static let standardEnvironment = [
        "HOME": "/nonexistent", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1", "PYTHONNOUSERSITE": "1",
    ]

    /// Reads a declaration.
    /// - Parameter file: its path, for messages and for the folder.
    public init(json text: String, file: String) throws(ProgramProblem) {
        self.file = file
        let body: Value
        do { body = try Value(json: text) } catch {
            throw ProgramProblem("\(file): is no JSON: \(error); see Docs/app-protocol.md, Declaration")
        }
        if let fault = AppProtocol.fault(in: body, of: AppProtocol.declaration) {
            throw ProgramProblem("\(file): \(fault)")
        }
        command = body["command"]?.strings ?? []
        guard !command.isEmpty, command.count == body["command"]?.array?.count, !command[0].isEmpty else {
            throw ProgramProblem("\(file): 'command' has to be a list of texts, such as [\"python3\", \"app.py\"]")
        }
        folder = file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
        environment = try Self.texts(body["environment"], "environment", file)
        manifest = try Self.manifest(body, file)
    }

    private static func texts(_ value: Value?, _ name: String, _ file: String) throws(ProgramProblem) -> [String:
        String]
    {
        var texts: [String: String] = [:]
        for pair in value?.object?.pairs ?? [] {
            guard let text = pair.value.string else {
                throw ProgramProblem("\(file): '\(name).\(pair.key)' has to be a text")
            }
            texts[pair.key] = text
        }
        return texts
    }

    private static func manifest(_ body: Value, _ file: String) throws(ProgramProblem) -> AppManifest {
        func refuse(_ name: String, _ expected: [String]) -> ProgramProblem {
            ProgramProblem("\(file): '\(name)' has to be one of \(expected.joined(separator: ", "))")
        }
        let name = body["name"]?.string ?? ""
        guard isName(name) else {
            throw ProgramProblem(
                "\(file): '\(name.prefix(40))' is not a name: use small letters, digits and hyphens, a letter first, at most 32"
            )
        }
        guard let channel = body["channel"]?.string.flatMap(Channel.init) else {
            throw refuse("channel", Channel.allCases.map(\.rawValue))
        }
        guard let bundle = body["bundle"]?.string, !bundle.isEmpty else {
            throw ProgramProblem("\(file): 'bundle' is empty: give the app an identifier such as com.example.notes")
        }
        var promises: [String: Promise] = [:]
        for (kind, word) in try texts(body["promises"], "promises", file) {
            guard let promise = Promise(rawValue: word) else {
                throw refuse("promises.\(kind)", Promise.allCases.map(\.rawValue))
            }
            promises[kind] = promise
        }
        var actions: [AppManifest.Action] = []
        for (index, entry) in (body["actions"]?.array ?? []).enumerated() {
            let place = "actions[\(index + 1)]"
            if let fault = AppProtocol.fault(in: entry, of: action) {
                throw ProgramProblem("\(file): \(place): \(fault)")
            }
            guard let made = AppManifest.Action(entry) else {
                throw refuse("\(place).verb", Edit.Verb.allCases.map(\.rawValue))
            }
            guard promises[made.kind] != nil else {
                throw ProgramProblem(
                    "\(file): \(place): nothing is promised for the kind '\(made.kind)'; add it to 'promises'")
            }
            actions.append(made)
        }
        guard !actions.isEmpty else {
            throw ProgramProblem("\(file): 'actions' is empty: say what people do in the app")
        }
        let forEveryone = body["forEveryone"]?.strings ?? []
        if let kind = forEveryone.first(where: { promises[$0] == nil }) {
            throw ProgramProblem(
                "\(file): 'forEveryone' names the kind '\(kind)', and nothing is promised for it; add its promise")
        }
        let shared = body["shared"]?.strings ?? []
        if let kind = shared.first(where: { promises[$0] == nil || forEveryone.contains($0) }) {
            throw ProgramProblem(
                "\(file): 'shared' names the kind '\(kind)', and nothing is promised for it, or it is for everyone; add its promise, and name it in one list"
            )
        }
        var infoPlist = body["infoPlist"] ?? .empty
        infoPlist["CFBundleIdentifier"] = .string(bundle)
        return AppManifest(
            name: name, bundleID: bundle, infoPlist: infoPlist, entitlements: body["entitlements"], actions: actions,
            promises: promises, forEveryone: Set(forEveryone), shared: Set(shared), channel: channel)
    }
    private static let action: [AppProtocol.Member] = [
        .init("name", .text, "what scenarios call it"), .init("kind", .text, "the kind of item that it touches"),
        .init("verb", .text, "put, delete or effect"), .init("prefix", .text, "of the item's id"),
        .optional("weight", .number, "how often"), .optional("pool", .number, "items to choose from"),
    ]
    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= 32 && (text.utf8.first.map { (0x61...0x7a).contains($0) } ?? false)
            && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }

    /// Whether another declaration, perhaps read from elsewhere, says the same of the same program.
    public func isSame(as other: AppProgram) -> Bool {
        (manifest, command, folder) == (other.manifest, other.command, other.folder) && environment == other.environment
    }

    /// What messages call the program: the last argument that looks like a file, or the program itself.
    public var title: String { command.dropFirst().first { !$0.hasPrefix("-") } ?? command[0] }
}
