import Ubiquity

/// A file that only grows: one line of JSON for each change, so that many changes reach the disk in one write and one sync.
///
/// A power cut may tear what was not synced; the lines before it are whole. The file is written anew when most of it is outdated.
@MainActor final class NoteJournal {
    /// One change; what is nil did not change.
    struct Entry: Codable {
        var name: String?
        /// Nil: the note is gone.
        var note: Note?
        /// Archived change token; empty: none.
        var token: Data?
    }

    private let file: URL
    private let encoder = JSONEncoder()
    private var handle: FileHandle?
    private var lines = 0
    /// From so many lines on most of them are outdated.
    private var linesMax = 400
    /// The end of the file may be torn: nothing may be added behind it.
    private var isTorn = false

    init(file: URL) {
        encoder.outputFormatting = .sortedKeys
        self.file = file
    }

    /// The changes in their order, up to the first line that is not whole.
    func read() -> [Entry] {
        guard let data = FileManager.default.contents(atPath: file.path) else { return [] }
        let texts = data.split(separator: UInt8(ascii: "\n"))
        let decoder = JSONDecoder()
        var entries: [Entry] = []
        for text in texts {
            guard let entry = try? decoder.decode(Entry.self, from: text) else { break }
            entries.append(entry)
        }
        lines = entries.count
        isTorn = lines < texts.count || data.last != UInt8(ascii: "\n")
        return entries
    }

    /// Adds changes; they are there after a power cut when this returns.
    /// - Parameter whole: everything that the file should hold, asked for when it is written anew.
    /// - Throws: when the disk is full; then nothing was added.
    func add(_ entries: [Entry], whole: () -> [Entry]) throws {
        if isTorn {
            try rewrite(whole())
        } else if lines <= linesMax {
            try append(entries)
        } else {
            // A new file needs room beside the old one: where there is none the old one grows on.
            do { try rewrite(whole()) } catch { try append(entries) }
        }
        try (handle ?? open()).synchronize()
    }
    /// Makes these the whole file.
    func replace(with entries: [Entry]) throws {
        try rewrite(entries)
        try open().synchronize()
    }
    private func rewrite(_ present: [Entry]) throws {
        try String(decoding: text(of: present), as: UTF8.self).write(to: file, atomically: true, encoding: .utf8)
        (lines, isTorn, handle) = (present.count, false, nil)
        linesMax = max(400, 4 * lines)
    }
    private func append(_ entries: [Entry]) throws {
        let text = try text(of: entries)
        try (handle ?? open()).write(contentsOf: text)
        lines += entries.count
    }

    private func text(of entries: [Entry]) throws -> Data {
        var text = Data()
        for entry in entries {
            text += try encoder.encode(entry)
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }
    private func open() throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: file.path) {
            FileManager.default.createFile(atPath: file.path, contents: nil)
        }
        let opened = try FileHandle(forWritingTo: file)
        try opened.seekToEnd()
        handle = opened
        return opened
    }
}
