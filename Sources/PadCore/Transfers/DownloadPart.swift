import FleetModel
import Storage

/// What the system knows of a download that it has the first bytes of: with it the rest can be fetched alone.
///
/// A stream is not modelled: an answer comes whole or not at all, so a download is asked for in ranges, and what broke off goes on at the
/// last whole one. Source: app-lifecycle.md 7: resuming needs an ETag and byte ranges. ASSUMED: `Last-Modified` alone is not enough.
struct DownloadPart: Hashable, FieldGroup {
    /// `ETag` of the version that the bytes belong to.
    var tag = ""
    /// Bytes that are here.
    var count: Int64 = 0

    /// Bytes that are asked for at a time. ASSUMED.
    static let step: Int64 = 1 << 20

    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.required("count", &count)
        fields.required("tag", &tag)
        if fields.isReading, count <= 0 { fields.reject("needs a count above 0") }
    }

    /// Adds to a request which bytes are wanted: the next ones of the version that the first ones are of.
    static func ask(_ request: inout HTTPRequest, after part: DownloadPart?) {
        let first = part?.count ?? 0
        request.headers["Range"] = "bytes=\(first)-\(first + step - 1)"
        if let part { request.headers["If-Range"] = part.tag }
    }

    /// What a 206 gives: the part as it is after it, and whether that is all; nil when its fields do not say so.
    init?(_ response: HTTPResponse, after part: DownloadPart?) {
        guard response.status == 206, let tag = response.headers["ETag"], part == nil || part?.tag == tag,
            let range = response.headers["Content-Range"], range.hasPrefix("bytes \(part?.count ?? 0)-"),
            !response.body.isEmpty
        else { return nil }
        self.tag = tag
        count = (part?.count ?? 0) + Int64(response.body.count)
    }
    func isAll(of response: HTTPResponse) -> Bool {
        response.headers["Content-Range"]?.split(separator: "/").last.flatMap { Int64($0) } == count
    }
}

/// Parts on the disk: while the system has them, and while a cancelled download waits to be taken up again.
extension TransferQueue {
    static func partPath(_ task: Int64) -> String { "\(folder)/\(task).part" }

    /// Keeps the next bytes, durable before the row says so.
    /// - Returns: false when they do not follow the bytes before.
    func keep(_ bytes: [UInt8], as part: DownloadPart, of index: Int) throws -> Bool {
        let path = Self.partPath(transfers[index].task)
        let before = partBytes(of: index)
        guard before.count + bytes.count == Int(part.count) else { return false }
        try volume.disk.write(path, before + bytes, sync: true)
        update(index) { $0.part = part }
        try save(index)
        return true
    }
    /// What was fetched before, without the bytes that an answer brings.
    func partBytes(of index: Int) -> [UInt8] {
        guard let part = transfers[index].part,
            let bytes = try? volume.disk.read(Self.partPath(transfers[index].task))
        else { return [] }
        // A power cut may have come between bytes and row.
        return Array(bytes.prefix(Int(clamping: part.count)))
    }
    /// The version on the server is another one: begin again.
    /// Written down on a full disk too: a row without its bytes would go on in the middle.
    func dropPart(of index: Int) throws {
        update(index) { $0.part = nil }
        try volume.disk.withReserve { try save(index) }
        let path = Self.partPath(transfers[index].task)
        if volume.disk.status(path) != nil { try volume.disk.remove(path) }
    }

    /// `NSURLSessionDownloadTaskResumeData`; nil: nothing is here that could be taken up. The bytes wait in the app's `tmp`, as with Apple.
    func resumeData(of index: Int, _ pad: any PadServices) -> [UInt8]? {
        let transfer = transfers[index]
        guard let part = transfer.part else { return nil }
        let folder = Pad.home(of: transfer.bundle) + "/tmp"
        let path = "\(folder)/CFNetworkDownload_\(transfer.task).tmp"
        let isKept = pad.attempt("what \(transfer.app) can resume") {
            try volume.disk.makeFolder(folder)
            try volume.disk.write(path, partBytes(of: index), sync: false)
        }
        guard isKept else { return nil }
        let data = ResumeData {
            ($0.url, $0.method, $0.headers) = (transfer.url, transfer.method, BackendURL.value(transfer.headers))
            ($0.path, $0.part) = (path, part)
        }
        return data.body.jsonBytes
    }
    /// Takes a part up again for a new task, if its bytes are still there.
    func adopt(_ part: DownloadPart?, at path: String, for task: Int64) throws {
        guard let part, let index = index(of: task), volume.disk.status(path) != nil else { return }
        let bytes = try volume.disk.read(path)
        guard bytes.count == Int(part.count) else { return }
        update(index) { $0.part = nil }
        guard try keep(bytes, as: part, of: index) else { return }
        try volume.disk.remove(path)
    }
}
