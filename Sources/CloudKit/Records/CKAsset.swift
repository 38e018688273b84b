import Foundation
import PadApp

/// A file that a record holds: bytes alone, without name and attributes, and not counted in the record's size (cloudkit-framework.md 5).
///
/// The system has its own copy when the save was handed over, and moves it without the app (S225). A file that was fetched lies where
/// the system may clear it at any time: move it away at once.
public final class CKAsset: NSObject, CKRecordValueProtocol, @unchecked Sendable {
    /// Nil when the file could not be fetched.
    public let fileURL: URL?
    /// The dictionary of cloudkit-web-services.md 8.6, or `{path}` of a file that is not saved yet.
    let wire: Value

    /// A file to be saved. It is read when the save is handed over: `assetFileNotFound` when it is not there then.
    public init(fileURL: URL) {
        self.fileURL = fileURL
        wire = ["path": .string(fileURL.path)]
    }
    public override var hash: Int { wire.hashValue }
    public override var description: String { "<CKAsset: \(fileURL?.path ?? "not here")>" }
    init(wire: Value) {
        self.wire = wire
        fileURL = wire["path"]?.string.map { URL(fileURLWithPath: $0) }
    }
}
