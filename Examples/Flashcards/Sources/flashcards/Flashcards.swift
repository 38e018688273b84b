import CloudKit
import Foundation
import PadApp

/// A box of cards: GRDB keeps them, CKSyncEngine carries them.
///
/// On a Shared iPad the next person may have this iPad at once, and the engine's queue is the app's own: a card counts as taken when the
/// server has it (S5), and is seen from then on.
class Flashcards: PadApp {
    nonisolated class var name: String { "flashcards" }
    nonisolated static var declaration: AppDeclaration {
        AppDeclaration(
            name: name, infoPlistPath: "flashcards_flashcards.resources/InfoPlists/flashcards/Info.plist",
            bundleIdentifier: "com.example.\(name)", channel: .record,
            actions: [AppManifest.Action("write", kind: "card", verb: .put, pool: 8, prefix: "card")],
            promises: ["card": .lastWriterWins])
    }
    /// Whether the person waits until the server has a card.
    var waits: Bool { true }

    private let box: Box?
    private let sync: CardSync?

    required init() {
        do {
            let box = try Box()
            (self.box, sync) = (box, CardSync(box: box))
        } catch {
            print("the box cannot be opened: \(error)")
            (box, sync) = (nil, nil)
        }
    }

    func application(didFinishLaunching reason: LaunchReason) async { Task { await sync?.start() } }
    func applicationDidBecomeActive() async { Task { await sync?.fetch() } }

    func perform(_ edit: Edit) async throws {
        guard let box, let sync else { throw Refusal("there is no room for a box on this iPad") }
        let account = await sync.account
        do { try await box.write(edit.value, as: edit.item) } catch {
            throw Refusal("the card cannot be kept: \(error)")
        }
        let id = CKRecord.ID(recordName: edit.item, zoneID: Card.zone)
        var pause = 1.0
        while waits, await !sync.send(id) {
            guard await sync.account == account else { throw Refusal("another iCloud account is signed in") }
            try await Task.sleep(for: .seconds(pause))
            pause = min(30, pause * 2)
        }
        guard await sync.account == account else { throw Refusal("another iCloud account is signed in") }
        guard try await box.card(edit.item)?.text == edit.value else {
            throw Refusal("a later text of this card is there by now: look at it first")
        }
    }

    func visibleState() async -> VisibleState {
        let cards = (try? await box?.cards()) ?? []
        return VisibleState(
            cards.compactMap { card in
                (waits ? card.shown : card.text).map { Item(id: card.id, kind: "card", text: $0) }
            },
            complete: await sync?.isUpToDate ?? false)
    }
}

/// Says that a card is taken when it has been written down: with the iPad's next person it may be gone.
final class Forgetful: Flashcards {
    nonisolated override class var name: String { "forgetful" }
    override var waits: Bool { false }
}
