// A homeroom of its own with apps that misbehave: what the tests of crashes, spins and leaks run.
import Dispatch
import Foundation
import HomeroomKit
import PadApp
import Ubiquity

/// Keeps notes in memory only; the third one is its undoing. Each subclass says how.
@MainActor class Misbehaving: PadApp {
    nonisolated class var name: String { "misbehaving" }
    nonisolated static var declaration: AppDeclaration {
        AppDeclaration(
            name: name,
            infoPlistPath: bundle == nil ? "homeroom_misbehaving.resources/InfoPlists/\(name)/Info.plist" : nil,
            bundleIdentifier: bundle, channel: .record,
            actions: [AppManifest.Action("write", kind: "note", verb: .put, pool: 3, prefix: "note")],
            promises: ["note": .keepsAll])
    }
    /// Takes the place of an Info.plist.
    nonisolated class var bundle: String? { nil }
    private var notes: [String: String] = [:]
    required init() {}

    func perform(_ edit: Edit) async throws {
        notes[edit.item] = edit.value
        if notes.count == 3 { await misbehave() }
    }
    func misbehave() async {}
    func visibleState() async -> VisibleState {
        VisibleState(notes.sorted { $0.key < $1.key }.map { Item(id: $0.key, kind: "note", text: $0.value) })
    }
}

/// Says of most edits that they were not taken, with an error that is no refusal.
final class Throwing: Misbehaving {
    private struct Oops: Error {}
    nonisolated override class var name: String { "throwing" }
    override func perform(_ edit: Edit) async throws {
        guard edit.item == "note-1" else { throw Oops() }
        try await super.perform(edit)
    }
}
/// Nobody calls its methods: one has Apple's name, one a letter too many, one other types. Its lifecycle is right.
final class Unheard: Misbehaving {
    nonisolated override class var name: String { "unheard" }
    nonisolated override class var bundle: String? { "com.example.unheard" }
    func applicationDidBecomeActive(_ application: Int) async { print("\(application)") }
    func applicationDidEnterBackgrounds() async { print("in the background") }
    func application(didFinishLaunching reason: Int) async { print("\(reason)") }
    func applicationIsGreat() async { print("great") }
}
final class Trapping: Misbehaving {
    nonisolated override class var name: String { "trapping" }
    override func misbehave() async { fatalError("the third note is too much") }
}
final class Spinning: Misbehaving {
    nonisolated override class var name: String { "spinning" }
    override func misbehave() async { while notesAreTooMany {} }
    private var notesAreTooMany: Bool { true }
}
/// Waits in a loop for a file that nobody will ever write: every turn is a call, and no time passes.
final class Polling: Misbehaving {
    nonisolated override class var name: String { "polling" }
    override func misbehave() async { while !Ubiquity.FileManager.default.fileExists(atPath: "/never") {} }
}
final class Threading: Misbehaving {
    nonisolated override class var name: String { "threading" }
    override func misbehave() async {
        await withCheckedContinuation { done in Thread.detachNewThread { done.resume() } }
    }
}
/// Waits on the main thread for what only the main thread could do.
final class Blocking: Misbehaving {
    nonisolated override class var name: String { "blocking" }
    override func misbehave() async { wait() }
    private func wait() {
        let never = DispatchSemaphore(value: 0)
        DispatchQueue.main.async { never.signal() }
        never.wait()
    }
}
/// Calls its own queue and waits for it.
final class Deadlocking: Misbehaving {
    nonisolated override class var name: String { "deadlocking" }
    override func misbehave() async { DispatchQueue.main.sync {} }
}
/// Uses the run loop of the process, which nobody runs.
final class Ticking: Misbehaving {
    nonisolated override class var name: String { "ticking" }
    override func misbehave() async { tick() }
    private func tick() {
        _ = Foundation.Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in }
    }
}
/// Reads from a descriptor of the machine.
final class Piping: Misbehaving {
    nonisolated override class var name: String { "piping" }
    override func misbehave() async {
        DispatchIO.read(fromFileDescriptor: 0, maxLength: 1, runningHandlerOn: .main) { _, _ in }
    }
}
/// Loses nothing by it today: opens its container on the main thread without asking whose it is, and keeps a database there.
final class Careless: Misbehaving {
    nonisolated override class var name: String { "careless" }
    override func misbehave() async {
        let files = Ubiquity.FileManager.default
        guard let container = files.url(forUbiquityContainerIdentifier: nil) else { return }
        files.createFile(atPath: container.path + "/Documents/store.sqlite", contents: Data([1]))
    }
}
/// Loses nothing by it today: keeps its password in a file as well, and a flag where the next iPad does not look; asks its backend again
/// and again.
final class Indiscreet: Misbehaving {
    nonisolated override class var name: String { "indiscreet" }
    override func misbehave() async {
        let secret = Data("correct horse battery".utf8)
        let item: [String: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "backend", kSecAttrAccount: "me",
            kSecValueData: secret,
        ]
        SecItemAdd(item as CFDictionary, nil)
        let folder = Ubiquity.FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
        Ubiquity.FileManager.default.createFile(
            atPath: folder.path + "/settings", contents: Data("password: ".utf8) + secret)
        Ubiquity.UserDefaults.standard.set(true, forKey: "hasSeenTheTour")
        guard let url = URL(string: "https://backend.indiscreet/notes/?list") else { return }
        for _ in 1...8 { _ = try? await URLSession.shared.data(from: url) }
    }
}
/// No misbehaviour but what the machine would let in: calendar time, entropy, hashing, identifiers.
final class Curious: Misbehaving {
    nonisolated override class var name: String { "curious" }
    override func perform(_ edit: Edit) async throws {
        print("\(Date().timeIntervalSince1970) \(UUID()) \(Int.random(in: 0..<1_000_000)) \(Set(["a", "b", "c", "d"]))")
        print("\(arc4random_uniform(1_000_000)) \(rand()) \(random()) \(drand48()) \(clock()) \(getpid())")
        try? await Task.sleep(for: .milliseconds(Int.random(in: 1...50)))
        // What is drawn by the old ways shows in the history too.
        if rand() % 4 == 0 || arc4random_uniform(4) == 0 || getpid() != 1 {
            throw Refusal("drawn \(random()) \(clock())")
        }
        if Int.random(in: 0..<3) == 0 {
            throw Refusal("drawn \(Int.random(in: 0..<1000)) at \(Date().timeIntervalSince1970)")
        }
        try await super.perform(edit)
    }
}

Homeroom.main(apps: [
    Trapping.self, Spinning.self, Polling.self, Threading.self, Blocking.self, Deadlocking.self, Ticking.self,
    Piping.self, Curious.self, Careless.self, Indiscreet.self,
    Throwing.self, Unheard.self,
])
