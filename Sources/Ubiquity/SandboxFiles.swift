import Foundation
import PadApp

// Foundation's own of the same names would read and write the machine's disk. A member that is more specific than Foundation's wins
// the overload; the two at the end cannot be, and are there to be ambiguous (see Ubiquity.swift).

extension Data {
    /// Reads a file of the sandbox or of an opened ubiquity container, or a conflict version.
    /// - Throws: `CocoaError` 260 when there is none, 4353 when the document is not on this iPad.
    public init(contentsOf url: URL) throws { self = try FileManager.default.read(url.path) }

    /// Writes a file without syncing it: a power cut may tear it.
    public func write(to url: URL) throws { try FileManager.default.write(url.path, self, sync: false) }
}

extension String {
    /// Writes a file. `atomically`: it is whole after a power cut, the old content or the new (ASSUMED: a synced write).
    public func write(to url: URL, atomically useAuxiliaryFile: Bool, encoding enc: String.Encoding) throws {
        guard let data = data(using: enc) else {
            throw CocoaError(.fileWriteInapplicableStringEncoding, userInfo: [NSFilePathErrorKey: url.path])
        }
        try FileManager.default.write(url.path, data, sync: useAuxiliaryFile)
    }
}

extension Data {
    /// Ambiguous with Foundation's on purpose. Use `FileManager.default.createFile(atPath:contents:)`.
    public func write(to url: URL, options: Data.WritingOptions) throws {
        try FileManager.default.write(url.path, self, sync: options.contains(.atomic))
    }
}
extension String {
    /// Ambiguous with Foundation's on purpose. Use `Data(contentsOf:)`.
    public init(contentsOf url: URL, encoding enc: String.Encoding) throws {
        guard let text = String(data: try Data(contentsOf: url), encoding: enc) else {
            throw CocoaError(.fileReadInapplicableStringEncoding, userInfo: [NSFilePathErrorKey: url.path])
        }
        self = text
    }
}
