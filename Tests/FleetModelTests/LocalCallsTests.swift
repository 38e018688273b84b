import FleetModel
import Foundation
import Testing

@Suite("Calls of the local link", .timeLimit(.minutes(20))) struct LocalCallsTests {
    private static let page: String = {
        let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Docs/local-link.md")
        return (try? String(contentsOf: docs.standardizedFileURL, encoding: .utf8)) ?? ""
    }()

    @Test("Names: each once, in order, and each is on the page that says what it means")
    func documented() {
        #expect(LocalCalls.names == LocalCalls.names.sorted() && Set(LocalCalls.names).count == LocalCalls.names.count)
        for name in LocalCalls.names { #expect(Self.page.contains("`\(name)") || Self.page.contains(name), "\(name)") }
        #expect(Set(LocalCalls.durable).isSubset(of: LocalCalls.names))
    }
}
