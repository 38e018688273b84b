import Foundation
import PadDouble
import Testing
import Ubiquity

/// An app whose only behaviour is the body that a test gives it.
@MainActor final class Probe: PadApp {
    nonisolated static var declaration: AppDeclaration {
        AppDeclaration(name: "probe", infoPlistPath: "", channel: .document, actions: [], promises: [:])
    }
    /// What the next `ui.state` runs, and what it found.
    nonisolated(unsafe) static var body: @MainActor () async throws -> [String] = { [] }
    init() {}

    func perform(_ edit: Edit) async throws {}
    func visibleState() async -> VisibleState {
        do {
            return VisibleState(try await Self.body().enumerated().map { Item(id: "\($0)", kind: "found", digest: $1) })
        } catch {
            let error = error as NSError
            return VisibleState([Item(id: "error", kind: "error", digest: "\(error.domain) \(error.code)")])
        }
    }
}

extension PadDouble {
    /// Runs code as the app's own and gives the texts it found; an error as `domain code`.
    func run(_ body: @escaping @MainActor () async throws -> [String]) -> [String] {
        Probe.body = body
        if !isAlive { launch(Probe.self) }
        return state()?.items.map(\.digest) ?? ["no answer"]
    }
}
