import Foundation
import Testing

/// A browser without a window, where this machine has one.
enum Browser {
    static let path: String? = {
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin"]
        return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()
    static let none: Comment = "not on this machine: no chromium or google-chrome is installed, so no page is opened"

    /// What is there when the page's scripts have run.
    /// - Parameter script: runs in the page after its own.
    static func document(_ page: URL, script: String = "", in folder: URL) throws -> String {
        var text = try String(contentsOf: page, encoding: .utf8)
        text = text.replacingOccurrences(of: "</body>", with: "<script>\(script)</script></body>")
        let copy = try folder.appending(path: "opened.html").write(text)
        let run = try CommandLineRun.of(
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900",
                "--user-data-dir=\(folder.path)/profile", "--virtual-time-budget=5000", "--dump-dom",
                URL(filePath: copy).absoluteString,
            ], by: path ?? "", in: folder)
        return run.output
    }
}
