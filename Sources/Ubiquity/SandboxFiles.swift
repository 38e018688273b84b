import Foundation
import PadApp

// Foundation's own of the same names read and write the machine's disk. A member that is more specific than Foundation's wins the
// overload, in every module that Ubiquity is part of: outside an app these do what Foundation's do.

extension Data {
    /// Reads a file of the sandbox or of an opened ubiquity container, or a conflict version.
    /// - Throws: `CocoaError` 260 when there is none, 4353 when the document is not on this iPad.
    public init(contentsOf url: URL) throws {
        self =
            AppLink.ifRunning == nil ? try Data(contentsOf: url, options: []) : try FileManager.default.read(url.path)
    }

    /// Writes a file without syncing it: a power cut may tear it.
    public func write(to url: URL) throws {
        guard AppLink.ifRunning != nil else { return try write(to: url, options: []) }
        try FileManager.default.write(url.path, self, atomic: false)
    }
}

extension String {
    /// Writes a file. `atomically`: a temporary file renamed, so that a power cut leaves the old content or the new one whole. Which of
    /// the two is certain only after `FileHandle.synchronize`.
    public func write(to url: URL, atomically useAuxiliaryFile: Bool, encoding enc: String.Encoding) throws {
        guard let data = data(using: enc) else {
            throw CocoaError(.fileWriteInapplicableStringEncoding, userInfo: [NSFilePathErrorKey: url.path])
        }
        guard AppLink.ifRunning != nil else { return try data.write(to: url, options: useAuxiliaryFile ? .atomic : []) }
        try FileManager.default.write(url.path, data, atomic: useAuxiliaryFile)
    }
}
