import FleetModel

@testable import PadCore

/// Two iPads of one person, and the Cloud between them: what the suites about documents begin with.
class TwoDocumentSites {
    let cloud = FakeDocumentCloud()
    let a: DocumentSite
    let b: DocumentSite

    init() throws {
        a = try DocumentSite("ipad-1")
        b = try DocumentSite("ipad-2")
        settle()
    }
    func settle() { DocumentSite.settle([a, b], cloud) }
    func text(_ token: Token) -> String { EditPayload.text(token: token, "page") }
    /// A document that both iPads have.
    func share(_ name: String = "page.txt", _ token: Token = "maya.1") throws {
        try a.write(name, text(token))
        settle()
        b.download(name)
        settle()
    }
}
