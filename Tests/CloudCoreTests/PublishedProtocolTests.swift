import Foundation
import Testing

@testable import CloudCore

@Suite("Published protocol")
struct PublishedProtocolTests {
    // 4
    @Test("Docs/openapi.yaml: the paths of CloudKit are those that are served")
    func paths() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Docs/openapi.yaml")
        let prefix = "  /database/1/{container}/{environment}/"
        let published = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap {
            line -> String? in
            line.hasPrefix(prefix)
                ? String(line.dropFirst(prefix.count).dropLast()).replacing("{database}/", with: "") : nil
        }
        #expect(published.sorted() == (Router.records.keys + ["users/discover"]).sorted())
    }
}
