import FleetModel

/// Documents of the double's ubiquity containers, by path.
public struct DocumentsDouble {
    /// In the account but not on this iPad.
    public var remote: [String: [UInt8]] = [:]
    public var conflicts: [String: [(id: String, data: [UInt8])]] = [:]
    /// Local copies that are older than the account's.
    public var stale: Set<String> = []
    /// More members of a document's entry.
    public var more: [String: Value] = [:]
    /// When the newest version was written, in ns; all others are of one time.
    public var modified: [String: Int64] = [:]
    /// Paths whose coordinated writes have ended, in order.
    public var journaled: [String] = []
    public init() {}
}

/// A background upload that the double's Pad has taken.
public struct TransferDouble {
    public var task: Int64
    public var session: String
    public var url: String
    public var method: String
    public var headers: Value
    public var description: String
    public var body: [UInt8]
}

/// An error as the local link writes it.
public func linkError(_ domain: String, _ code: Int64, _ message: String = "refused") -> Value {
    ["error": ["domain": .string(domain), "code": .int(code), "message": .string(message)]]
}

extension PadDouble {
    private func longLived(named op: String?) -> [Value] {
        guard let op else { return longLived }
        return longLived.filter { $0["op"]?.string == op }
    }
    func answer(toCall message: Message) -> Value {
        switch message.name.prefix(while: { $0 != "." }) {
        case "file": file(message)
        case "kvs":
            message.name == "kvs.open" ? ["values": .object(Value.Object(store.map { ($0.key, $0.value) }))] : .empty
        case "docs": docs(message)
        case "transfer": transfer(message)
        case "keychain": keychain(message)
        case "ck" where message["longLived"] == true: ["kept": .bool(takeOver(message))]
        case "ck": ["ops": .array(longLived(named: message["op"]?.string))]
        case "app": system(message)
        case "identity": ["identity": .optional(identity), "accountStatus": 1]
        default: linkError("POSIX", 22)
        }
    }

    private func system(_ message: Message) -> Value {
        switch message.name {
        case "app.beginBackgroundTask": return ["task": 3]
        case "app.keepState": archive = message["archive"]?.data
        case "app.restoreState": return ["archive": archive.map { .data($0) } ?? .null]
        default: break
        }
        return systemAnswers[message.name] ?? .empty
    }

    func answer(toPost message: Message) -> Value? {
        guard message.name == "docs.download" else {
            return message.name == "http.send" ? http(message.body) : records(message)
        }
        beforeDownload()
        let path = message["path"]?.string ?? ""
        guard let data = documents.remote[path] else {
            return files[path] == nil ? linkError("NSCocoaErrorDomain", 260) : .empty
        }
        guard online else { return linkError("NSCocoaErrorDomain", 4353) }
        documents.remote[path] = nil
        files[path] = data
        return .empty
    }

    private func file(_ message: Message) -> Value {
        let path = message["path"]?.string ?? message["from"]?.string ?? ""
        switch message.name {
        case "file.read":
            if documents.remote[path] != nil { return linkError("NSCocoaErrorDomain", 4353) }
            return files[path].map { ["data": .data($0)] } ?? linkError("NSCocoaErrorDomain", 260)
        case "file.write":
            files[path] = message["data"]?.data ?? []
            return .empty
        case "file.append":
            files[path, default: []] += message["data"]?.data ?? []
            return .empty
        case "file.sync":
            durable[path] = files[path]
            return .empty
        case "file.remove":
            let gone = files.keys.filter { $0 == path || $0.hasPrefix(path + "/") }
            for name in gone { (files[name], durable[name]) = (nil, nil) }
            return gone.isEmpty ? linkError("NSCocoaErrorDomain", 4) : .empty
        case "file.move":
            let to = message["to"]?.string ?? ""
            guard let data = files[path] else { return linkError("NSCocoaErrorDomain", 4) }
            guard files[to] == nil else { return linkError("NSCocoaErrorDomain", 516) }
            (files[to], files[path]) = (data, nil)
            return .empty
        case "file.list":
            let names = files.keys.filter { $0.hasPrefix(path + "/") }.map {
                $0.dropFirst(path.count + 1).prefix { $0 != "/" }
            }
            return ["names": .strings(Set(names.map(String.init)).sorted())]
        case "file.stat":
            let isFolder = files.keys.contains { $0.hasPrefix(path + "/") }
            return [
                "exists": .bool(isFolder || files[path] != nil), "folder": .bool(isFolder),
                "size": .int(files[path]?.count ?? 0),
                "modified": .int(now.nanoseconds), "excluded": .bool(excluded.contains(path)),
            ]
        case "file.exclude":
            guard files[path] != nil else { return linkError("NSCocoaErrorDomain", 4) }
            if message["excluded"] == true { excluded.insert(path) } else { excluded.remove(path) }
            return .empty
        default: return .empty
        }
    }

    private func docs(_ message: Message) -> Value {
        let path = message["path"]?.string ?? ""
        switch message.name {
        case "docs.container":
            let container = message["identifier"]?.string ?? "iCloud.\(bundle)"
            return ["path": .optional(identity == nil ? nil : "/var/mobile/Library/Mobile Documents/\(container)")]
        case "docs.endWrite":
            durable[path] = files[path]
            documents.journaled.append(path)
            return .empty
        case "docs.list":
            let root = "/var/mobile/Library/Mobile Documents/\(message["container"]?.string ?? "")/"
            let paths = Set(files.keys).union(documents.remote.keys).filter { $0.hasPrefix(root) }.sorted()
            return ["items": .array(paths.map(entry))]
        case "docs.versions":
            return [
                "versions": .array(
                    (documents.conflicts[path] ?? []).map {
                        ["id": .string($0.id), "data": .data($0.data), "modified": 1_000_000_000, "device": "ipad-2"]
                    })
            ]
        case "docs.status":
            guard files[path] != nil || documents.remote[path] != nil else { return .empty }
            return entry(path)
        case "docs.metadata":
            return [
                "size": .int(files[path]?.count ?? 0), "modified": .int(documents.modified[path] ?? 1_000_000_000),
            ]
        case "docs.resolve":
            let ids = message["ids"]?.strings ?? []
            documents.conflicts[path]?.removeAll { ids.contains($0.id) }
            return .empty
        default: return .empty
        }
    }
    private func entry(_ path: String) -> Value {
        let status =
            documents.remote[path] != nil ? "notDownloaded" : documents.stale.contains(path) ? "downloaded" : "current"
        var entry: Value = [
            "path": .string(path), "status": .string(status), "uploaded": true, "uploading": false,
            "conflicts": .bool(!(documents.conflicts[path] ?? []).isEmpty),
        ]
        for pair in documents.more[path]?.object?.pairs ?? [] { entry[pair.key] = pair.value }
        return entry
    }

    private func transfer(_ message: Message) -> Value {
        let session = message["session"]?.string ?? ""
        if message.name == "transfer.tasks" {
            return [
                "tasks": .array(
                    transfers.filter { $0.session == session }.map {
                        ["task": .int($0.task), "url": .string($0.url), "description": .string($0.description)]
                    })
            ]
        }
        guard let body = message.name == "transfer.download" ? [] : files[message["path"]?.string ?? ""] else {
            return linkError("NSURLErrorDomain", -1100)
        }
        let task = TransferDouble(
            task: (transfers.map(\.task).max() ?? 0) + 1, session: session, url: message["url"]?.string ?? "",
            method: message["method"]?.string ?? "", headers: message["headers"] ?? .empty,
            description: message["description"]?.string ?? "", body: body)
        transfers.append(task)
        return ["task": .int(task.task)]
    }
    /// The oldest upload is finished: the app hears of it.
    public func finishTransfer(status: Int64, json: Value = .empty) {
        guard let task = transfers.first else { return }
        finishTransfer(["status": .int(status), "data": .data(json.jsonBytes)], task)
    }
    public func failTransfer(code: Int64) {
        guard let task = transfers.first else { return }
        finishTransfer(linkError("NSURLErrorDomain", code), task)
    }
    private func finishTransfer(_ outcome: Value, _ task: TransferDouble) {
        var body = outcome
        body["session"] = .string(task.session)
        body["task"] = .int(task.task)
        body["description"] = .string(task.description)
        deliver("transfer.completed", body, exchange: UInt64(task.task))
    }

    private func keychain(_ message: Message) -> Value {
        let key = "\(message["service"]?.string ?? "")/\(message["account"]?.string ?? "")"
        let present = keychain[key]
        switch message.name {
        case "keychain.list":
            let names = keychain.keys.sorted().map {
                $0.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            }
            let found = names.filter {
                (message["service"]?.string ?? $0[0]) == $0[0] && (message["account"]?.string ?? $0[1]) == $0[1]
            }
            return [
                "status": 0,
                "items": .array(
                    found.map {
                        [
                            "service": .string($0[0]), "account": .string($0[1]),
                            "data": .data(keychain["\($0[0])/\($0[1])"] ?? []),
                        ]
                    }),
            ]
        case "keychain.copy": return present.map { ["status": 0, "data": .data($0)] } ?? ["status": -25300]
        case "keychain.add" where present != nil: return ["status": -25299]
        case "keychain.update" where present == nil, "keychain.delete" where present == nil: return ["status": -25300]
        case "keychain.delete": keychain[key] = nil
        default: keychain[key] = message["data"]?.data ?? []
        }
        return ["status": 0]
    }
}
