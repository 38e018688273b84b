// App code that imports Foundation and Ubiquity and means the iPad: see Names.swift.
import Foundation
import Ubiquity

/// Touches every shadowed name.
@MainActor func touchShadows() throws -> [String] {
    let url = FileManager.default.temporaryDirectory.appending(path: "shadow")
    try "text".write(to: url, atomically: true, encoding: .utf8)
    UserDefaults.standard.set("kept", forKey: "shadow")
    nonisolated(unsafe) var heard = 0
    NotificationCenter.default.addObserver(forName: .init("shadow"), object: nil, queue: nil) { _ in heard += 1 }
    NotificationCenter.default.post(name: .init("shadow"), object: nil)
    let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    try Data([1]).write(to: url)
    return [
        text, "\(try Data(contentsOf: url).count)", UserDefaults.standard.string(forKey: "shadow") ?? "", "\(heard)",
    ]
}
