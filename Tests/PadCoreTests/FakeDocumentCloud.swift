import FleetModel
import Storage

@testable import PadCore

/// The documents part of the wire (Docs/cloud-api.md), small and in memory: what the daemon's tests need and no more.
final class FakeDocumentCloud {
    struct Version: Hashable {
        var name: String
        var data: [UInt8]
        var modified: Int64
        var device: String
    }
    struct Item: Hashable {
        var id: String
        var path: String
        var current: Version
        var conflicts: [Version] = []
        var isDeleted = false
        var seq: Int64
    }
    private(set) var items: [Item] = []
    private var seq: Int64 = 0
    /// Answers by request id: a retry gets the first answer.
    private var answered: [String: HTTPResponse] = [:]
    /// Requests that had an effect.
    private(set) var writes = 0
    /// Of the account, over all apps and containers.
    var quotaBytes = Int.max

    /// All tokens that the account still has, current and conflict versions.
    var tokens: Set<Token> {
        Set(
            items.filter { !$0.isDeleted }.flatMap { [$0.current] + $0.conflicts }.flatMap {
                EditPayload.scan($0.data).tokens
            })
    }
    func item(_ path: String) -> Item? { items.first { $0.path == path && !$0.isDeleted } }

    func answer(_ request: HTTPRequest, from device: String) -> HTTPResponse {
        let name = request.headers["X-Homeroom-Request"]
        if let name, let before = answered[name] { return before }
        let response = handle(request, device)
        if let name, response.status < 500, response.status != 413 { answered[name] = response }
        return response
    }

    private func handle(_ request: HTTPRequest, _ device: String) -> HTTPResponse {
        let halves = request.target.split(separator: "?", maxSplits: 1)
        let parts = halves[0].split(separator: "/").map(String.init)
        var query: [String: String] = [:]
        for pair in halves.count > 1 ? halves[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[String(sides[0])] = Self.decoded(sides[1])
        }
        if parts.last == "changes" { return changes(since: json(request)["since"]?.int ?? 0) }
        let id = parts[4]
        switch (request.method, parts.last) {
        case ("GET", _): return get(id, query["version"] ?? "")
        case ("PUT", _): return put(id, query, request.body, device)
        case ("DELETE", _): return delete(id, query["base"] ?? "")
        case (_, "move"): return move(id, json(request))
        case (_, "resolve"): return resolve(id, json(request)["versions"]?.strings ?? [])
        default: return HTTPResponse(status: 400, json: [:])
        }
    }
    private func json(_ request: HTTPRequest) -> Value { (try? Value(json: request.body)) ?? .null }
    private static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func changes(since: Int64) -> HTTPResponse {
        let entries = items.filter { $0.seq > since }.map { item -> Value in
            [
                "id": .string(item.id), "path": .string(item.path), "version": .string(item.current.name),
                "size": .int(item.current.data.count),
                "digest": .string(String(documentDigest(item.current.data), radix: 16)),
                "modified": .int(item.current.modified), "device": .string(item.current.device),
                "deleted": .bool(item.isDeleted),
                "conflicts": .array(
                    item.conflicts.map {
                        [
                            "id": .string("c-" + $0.name), "version": .string($0.name), "size": .int($0.data.count),
                            "modified": .int($0.modified), "device": .string($0.device),
                        ]
                    }),
            ]
        }
        return HTTPResponse(status: 200, json: ["seq": .int(seq), "items": .array(entries)])
    }
    private func get(_ id: String, _ version: String) -> HTTPResponse {
        let versions = items.first { $0.id == id }.map { [$0.current] + $0.conflicts } ?? []
        guard let found = versions.first(where: { $0.name == version }) else {
            return HTTPResponse(status: 404, json: [:])
        }
        return HTTPResponse(status: 200, headers: ["X-Homeroom-Version": found.name], body: found.data)
    }
    private func bump() -> String {
        seq += 1
        writes += 1
        return "v\(seq)"
    }
    private func put(_ id: String, _ query: [String: String], _ data: [UInt8], _ device: String) -> HTTPResponse {
        let others = items.filter { !$0.isDeleted && $0.id != id }.reduce(0) { $0 + $1.current.data.count }
        guard others + data.count <= quotaBytes else {
            return HTTPResponse(status: 413, json: ["serverErrorCode": "QUOTA_EXCEEDED"])
        }
        let name = bump()
        let mine = Version(name: name, data: data, modified: Int64(query["modified"] ?? "") ?? 0, device: device)
        guard let index = items.firstIndex(where: { $0.id == id }) else {
            var path = query["path"] ?? ""
            while item(path) != nil { path = path.replacingSuffix(".txt", " 2.txt") }
            items.append(Item(id: id, path: path, current: mine, seq: seq))
            return written(items[items.count - 1], name, conflict: false)
        }
        var item = items[index]
        let base = query["base"] ?? ""
        let isConflict = !item.isDeleted && base != item.current.name
        if !isConflict, let path = query["path"] { item.path = path }
        // A conflict version that the writer has seen is replaced by what was made of it.
        item.conflicts.removeAll { $0.name == base }
        if isConflict, (item.current.modified, item.current.device) > (mine.modified, mine.device) {
            item.conflicts.append(mine)
        } else {
            if isConflict { item.conflicts.append(item.current) }
            item.current = mine
        }
        item.isDeleted = false
        item.seq = seq
        items[index] = item
        return written(item, name, conflict: isConflict)
    }
    private func written(_ item: Item, _ name: String, conflict: Bool) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            json: [
                "id": .string(item.id), "version": .string(name), "conflict": .bool(conflict),
                "path": .string(item.path),
            ])
    }
    private func change(_ id: String, base: String?, _ change: (inout Item, String) -> Void) -> HTTPResponse {
        guard let index = items.firstIndex(where: { $0.id == id && !$0.isDeleted }) else {
            return HTTPResponse(status: 404, json: [:])
        }
        if let base, items[index].current.name != base { return HTTPResponse(status: 409, json: [:]) }
        let name = bump()
        change(&items[index], name)
        items[index].seq = seq
        return HTTPResponse(
            status: 200, json: ["version": .string(items[index].current.name), "path": .string(items[index].path)])
    }
    /// With unresolved conflict versions a document stays: the deleter has not seen them.
    private func delete(_ id: String, _ base: String) -> HTTPResponse {
        let hasConflicts = items.contains { $0.id == id && !$0.conflicts.isEmpty }
        return change(id, base: hasConflicts ? "unseen" : base) { item, _ in item.isDeleted = true }
    }
    /// Moves and resolves change the version's name, not the content: the daemon must not take that for an edit.
    private func move(_ id: String, _ body: Value) -> HTTPResponse {
        change(id, base: body["base"]?.string ?? "") { item, name in
            item.path = body["path"]?.string ?? item.path
            item.current.name = name
        }
    }
    private func resolve(_ id: String, _ versions: [String]) -> HTTPResponse {
        change(id, base: nil) { item, name in
            item.conflicts.removeAll { versions.contains("c-" + $0.name) }
            item.current.name = name
        }
    }
}

extension String {
    fileprivate func replacingSuffix(_ suffix: String, _ other: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) + other : self + other
    }
}

/// One iPad with one app of one person's documents.
final class DocumentSite {
    let pad: FakePad
    let daemon = DocumentDaemon()
    private(set) var app: AppIdentity
    private var launches = 1
    static let container = "iCloud.com.example.scrapbook"
    static let folder = ContainerPath.root + "/" + container
    /// Requests that are dropped on their way there, and answers on their way back.
    var losesRequest: (HTTPRequest) -> Bool = { _ in false }
    var losesAnswer: (HTTPRequest) -> Bool = { _ in false }

    init(_ name: String, plist: Value = .empty, isDesktop: Bool = false) throws {
        pad = try FakePad()
        pad.deviceName = name
        pad.isDesktop = isDesktop
        if plist != .empty {
            pad.manifests["scrapbook"] = AppManifest(
                name: "scrapbook", bundleID: "com.example.scrapbook", infoPlist: plist, actions: [], promises: [:],
                channel: .document)
        }
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
        app = pad.launch("scrapbook", daemon: daemon)
        call("container", [:])
    }

    var disk: Disk { pad.volume(of: "maya")!.disk }
    @discardableResult func call(_ name: String, _ body: Value) -> Value {
        daemon.call(Message("docs.\(name)", body), from: app, pad).body
    }
    static func path(_ name: String) -> String { "\(folder)/Documents/\(name)" }

    /// A coordinated write; the answer of `endWrite`.
    @discardableResult func write(_ name: String, _ text: String) throws -> Value {
        let path = Self.path(name)
        call("beginWrite", ["path": .string(path)])
        disk.now = pad.now
        try disk.write(path, Array(text.utf8), sync: false)
        return call("endWrite", ["path": .string(path)])
    }
    func delete(_ name: String) throws {
        call("beginWrite", ["path": .string(Self.path(name)), "deleting": true])
        if disk.status(Self.path(name)) != nil { try disk.remove(Self.path(name)) }
        call("endWrite", ["path": .string(Self.path(name))])
    }
    func move(_ name: String, to other: String) throws {
        call("beginWrite", ["path": .string(Self.path(name)), "movedTo": .string(Self.path(other))])
        try disk.move(Self.path(name), to: Self.path(other))
        call("endWrite", ["path": .string(Self.path(name))])
    }
    func read(_ name: String) -> String? {
        (try? disk.read(Self.path(name))).map { String(decoding: $0, as: UTF8.self) }
    }
    func download(_ name: String) {
        daemon.post(Message("docs.download", ["path": .string(Self.path(name))]), exchange: 9, from: app, pad)
    }
    func list() -> [String: Value] {
        var entries: [String: Value] = [:]
        for entry in call("list", ["container": .string(Self.container)])["items"]?.array ?? [] {
            entries[String((entry["path"]?.string ?? "").split(separator: "/").last ?? "")] = entry
        }
        return entries
    }
    func status(_ name: String) -> String? { list()[name]?["status"]?.string }
    func versions(_ name: String) -> [Value] {
        call("versions", ["path": .string(Self.path(name))])["versions"]?.array ?? []
    }
    func resolveAll(_ name: String) {
        call("resolve", ["path": .string(Self.path(name)), "ids": .array(versions(name).compactMap { $0["id"] })])
    }
    var isIdle: Bool { daemon.pending(of: "maya").isEmpty }

    /// The power fails and the iPad comes back with the same person.
    func powerCut(seed: UInt64 = 1) throws {
        try pad.powerCut(seed: seed)
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
        launches += 1
        app = pad.launch("scrapbook", launch: launches, daemon: daemon)
        call("container", [:])
    }

    /// Plays the network until this iPad has nothing on its way. True when something was answered.
    func exchange(with cloud: FakeDocumentCloud) -> Bool {
        var isBusy = false
        while let sent = pad.takeRequest() {
            isBusy = true
            guard !losesRequest(sent.request) else {
                daemon.reply(.failure(.unreachable), to: sent.task, pad); continue
            }
            let response = cloud.answer(sent.request, from: pad.deviceName)
            let reply: NetworkReply = losesAnswer(sent.request) ? .failure(.connectionLost) : .response(response)
            daemon.reply(reply, to: sent.task, pad)
        }
        return isBusy
    }

    /// Lets all iPads talk, with pushes and with time for retries, until everything is quiet.
    static func settle(_ sites: [DocumentSite], _ cloud: FakeDocumentCloud, minutes: Int64 = 5) {
        let push = Message("push", ["service": "document", "topic": .string(container)])
        for _ in 0..<minutes * 2 {
            for site in sites { site.pad.advance(.seconds(30), site.daemon) }
            var isBusy = true
            while isBusy {
                isBusy = false
                for site in sites where site.pad.online {
                    let before = cloud.writes
                    if site.exchange(with: cloud) { isBusy = true }
                    guard cloud.writes != before else { continue }
                    for other in sites where other !== site { other.daemon.pushed(push, person: "maya", other.pad) }
                }
            }
        }
    }
}
