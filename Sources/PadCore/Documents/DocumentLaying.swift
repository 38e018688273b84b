import FleetModel
import Storage

/// A version that the daemon is about to lay down. By it the daemon knows its own bytes again.
struct DocumentLaying: Hashable, FieldGroup {
    var version: DocumentVersion
    /// The Cloud's digest of the version; empty: not told.
    var remoteDigest: String
    var size: Int
    var digest: UInt64

    init(_ item: DocumentItem, _ data: [UInt8]) {
        version = item.remote
        remoteDigest = item.remoteDigest
        size = data.count
        digest = documentDigest(data)
    }

    init() { self.init(DocumentItem(), []) }
    mutating func visit(_ fields: inout Fields) {
        fields.bits("digest", &digest)
        fields.always("remoteDigest", &remoteDigest)
        fields.required("size", &size)
        fields.required("version", &version)
    }
}

/// How the daemon lays a downloaded version down.
///
/// The row says first what will lie there, then the file is replaced as a whole, then the row says that it lies there. Wherever a full
/// disk or the end of the power comes between, the file itself tells how far it went, and the daemon's bytes are never taken for the
/// person's edit: as one they would replace in the account what nobody here has seen.
extension DocumentSync {
    /// - Throws: out of room, and nothing is laid down.
    func lay(
        _ data: [UInt8], _ item: DocumentItem, at path: String
    ) throws {
        var announced = item
        announced.laying = DocumentLaying(item, data)
        try library.commit([.save(announced)])
        if let folder = path.lastIndex(of: "/") { try library.volume.disk.makeFolder(String(path[..<folder])) }
        try library.writeDocument(data, at: path)
        finishLaying(announced, at: path)
    }

    private func finishLaying(
        _ item: DocumentItem, at path: String
    ) {
        guard let laying = item.laying else { return }
        var laid = item
        laid.laying = nil
        laid.isLocal = true
        laid.base = laying.version
        laid.baseDigest = laying.remoteDigest
        laid.size = laying.size
        laid.modified = library.documentStatus(path)?.modified ?? pad.now
        laid.digest = laying.digest
        laid.checked = pad.now
        laid.sentModified = 0
        laid.wantsData = false
        laid.downloadTrouble = nil
        laid.retry.succeeded()
        // Without room the announcement stays in the row: it and the file say the same after a restart.
        if !keep([.save(laid), .back(path: path)]) { library.update(item: item.id) { $0 = laid } }
    }

    /// After a restart: whether what was announced lies there.
    func settleLaying() {
        for item in library.items(where: { $0.laying != nil }) {
            pad.attempt("the download of \(item.wanted)") {
                if let path = item.path, let laying = item.laying, library.hasDocument(at: path),
                    documentDigest(try library.documentData(path)) == laying.digest
                {
                    finishLaying(item, at: path)
                } else {
                    library.update(item: item.id) { $0.laying = nil }
                }
            }
        }
    }

    /// Commits what the daemon does by itself.
    /// - Returns: false when the disk is full. The caller leaves everything as it was and tries again later.
    func keep(_ changes: [DocumentChange]) -> Bool {
        pad.attempt("the journal of \(library.volume.person)'s documents") { try library.commit(changes) }
    }
    /// An operation of a document that is gone. Writing that down takes none of the person's room.
    func forget(_ operation: DocumentOperation) {
        _ = library.volume.disk.withReserve { keep([.drop(operation.seq)]) }
    }
}
