import CloudCore
import CloudKit
import DeterministicRuntime
import FleetModel
import PadCore
import Storage
import Testing

@testable import PadApp

/// The reference iCloud and some iPads in one process, each with one app in front of its person: what app code does is done by the real
/// Pad and the real Cloud.
///
/// Not modelled: latency and faults of links other than `reach`; apps return from delegate methods at once.
final class School {
    private let cloud: Cloud
    private var pads: [Int: TestPad] = [:]
    private(set) var now = Instant.zero
    private var queue: [(to: ParticipantID, input: Input)] = []
    private var exchange: UInt64 = 1 << 20
    fileprivate var answers: [UInt64: Value] = [:]
    /// What befalls a request on its way; nil: it arrives.
    var reach: (HTTPRequest) -> NetworkFailure? = { _ in nil }
    /// Whether the answer to a request that arrived is lost on its way back.
    var losesAnswer: (HTTPRequest) -> Bool = { _ in false }
    /// Requests whose answers are lost.
    private var unheard: Set<Asked> = []
    private struct Asked: Hashable {
        var sender: ParticipantID
        var exchange: UInt64
    }
    /// Targets of the requests that arrived.
    private(set) var requests: [String] = []

    /// - Parameters:
    ///   - people: who sits before the iPads, from number 1.
    ///   - schema: production's, in Apple's schema language; nil: the gate is open.
    init(_ people: [Person], schema: String? = nil) throws {
        cloud = try Cloud(
            spec: [
                "accounts": .strings(Set(people).union(["maya", "omar", "ann"]).sorted()), "seed": 7,
                "schemas": schema.map { ["iCloud.com.example.notebook": .string($0)] } ?? .empty,
            ],
            disk: .memory())
        for (index, person) in people.enumerated() {
            let number = index + 1
            pads[number] = try TestPad(number, self)
            tell(number, "device.boot")
            try #require(tell(number, "person.signIn", ["person": .string(person)])?["ok"] == true)
            try #require(tell(number, "app.open", ["app": "notebook"])?["ok"] == true)
        }
    }

    /// Carries out a command to an iPad, and lets time pass until it is answered.
    @discardableResult func tell(_ pad: Int, _ name: String, _ body: Value = .empty) -> Value? {
        exchange += 1
        let mine = exchange
        queue.append((.pad(pad), Input(from: .people, .command(Message(name, body)), exchange: mine)))
        pass(.minutes(5)) { self.answers[mine] != nil }
        return answers.removeValue(forKey: mine)
    }
    /// An administrator's or developer's command to the Cloud.
    @discardableResult func tellCloud(_ name: String, _ body: Value = .empty) -> Value? {
        exchange += 1
        let mine = exchange
        queue.append((.cloud, Input(from: .people, .command(Message(name, body)), exchange: mine)))
        pass(.zero) { self.answers[mine] != nil }
        return answers.removeValue(forKey: mine)
    }
    /// Runs app code on an iPad to its end.
    func run(
        on pad: Int = 1, within span: Span = .hours(1), _ body: @escaping @MainActor @Sendable () async throws -> Void
    ) {
        let end = End()
        pads[pad]?.start(now) {
            do { try await body() } catch { Issue.record(error) }
            end.isReached = true
        }
        pass(span) { end.isReached }
        #expect(end.isReached, "the app waits for ever")
        pass(.seconds(5)) { false }
    }
    private final class End: @unchecked Sendable {
        var isReached = false
    }
    /// Remote notifications that the app of an iPad got.
    func pushes(_ pad: Int) -> [Value] { pads[pad]?.pushes ?? [] }

    // MARK: Time

    /// Lets time pass until `isDone`, at most `span`.
    private func pass(_ span: Span, until isDone: () -> Bool) {
        let end = now + span
        while !isDone() {
            if !queue.isEmpty {
                let (to, input) = queue.removeFirst()
                step(to, [input])
                continue
            }
            guard let (at, who) = pads.sorted(by: { $0.key < $1.key }).flatMap(\.value.timers).min(by: { $0.0 < $1.0 }),
                at <= end
            else { break }
            now = max(now, at)
            step(who, [])
        }
        if !isDone() { now = max(now, end) }
    }
    fileprivate func step(_ to: ParticipantID, _ inputs: [Input]) {
        switch to {
        case .cloud: take(cloud.step(now: now, inputs: inputs, link: NoCalls()), from: to)
        case .pad(let number): if let pad = pads[number] { take(pad.step(now, inputs), from: to) }
        case .app(let number, _): pads[number]?.appStep(now, inputs)
        default: break
        }
    }
    private func take(_ result: StepResult, from sender: ParticipantID) {
        for output in result.outputs { route(output, from: sender) }
    }
    fileprivate func route(_ output: Output, from sender: ParticipantID) {
        switch output.payload {
        case .host(let order): if case .pad(let number) = sender { pads[number]?.obey(order) }
        case .note: break
        case .answer(let message): answers[output.exchange] = message.body
        case .post(let message) where output.to == .people: answers[output.exchange] = message.body
        case .request(let request):
            if let failure = reach(request) {
                queue.append((sender, Input(from: .cloud, .failure(failure), exchange: output.exchange)))
                return
            }
            requests.append(request.target)
            if losesAnswer(request) { unheard.insert(Asked(sender: sender, exchange: output.exchange)) }
            queue.append((.cloud, Input(from: sender, output.payload, exchange: output.exchange)))
        case .response where unheard.remove(Asked(sender: output.to, exchange: output.exchange)) != nil:
            queue.append((output.to, Input(from: sender, .failure(.connectionLost), exchange: output.exchange)))
        default: queue.append((output.to, Input(from: sender, output.payload, exchange: output.exchange)))
        }
    }
}

private final class NoCalls: CallLink {
    func call(_ message: Message, after posts: [Output]) -> Message? { nil }
}

/// One iPad of a school and the one app on it.
private final class TestPad: CallLink {
    private let number: Int
    private let pad: Pad
    private unowned let school: School
    private var padTimer: Instant?
    private var launch = 0
    private var loop: AppLoop?
    private var link: AppLink?
    private var calls: UInt64 = 1 << 40
    private(set) var pushes: [Value] = []

    init(_ number: Int, _ school: School) throws {
        self.number = number
        self.school = school
        let app = AppManifest(
            name: "notebook", bundleID: "com.example.notebook",
            infoPlist: ["NSSupportsPurgeableLocalStorage": true, "UIBackgroundModes": ["remote-notification"]],
            entitlements: [
                "com.apple.developer.icloud-services": ["CloudDocuments", "CloudKit"],
                "com.apple.developer.icloud-container-identifiers": ["iCloud.com.example.notebook"],
                "com.apple.developer.ubiquity-kvstore-identifier": "com.example.notebook",
                "com.apple.developer.icloud-container-environment": "Production",
            ], actions: [], promises: [:], channel: .record)
        var disks: [String: Disk] = [:]
        pad = try Pad(
            spec: [
                "pad": .int(number), "seed": 7, "slots": 3, "capacity": 64, "purgeAtSignOut": false,
                "apps": [app.body],
            ]
        ) { name in
            let disk = disks[name] ?? .memory()
            disks[name] = disk
            return disk
        }
    }
    var timers: [(Instant, ParticipantID)] {
        let app = loop?.nextTimer.map { (Instant(nanoseconds: $0), ParticipantID.app(pad: number, launch: launch)) }
        return [padTimer.map { ($0, .pad(number)) }, app].compactMap { $0 }
    }

    func step(_ now: Instant, _ inputs: [Input]) -> StepResult {
        let result = pad.step(now: now, inputs: inputs, link: self)
        padTimer = result.nextTimer.map { max($0, now) }
        return result
    }
    func obey(_ order: HostOrder) {
        switch order {
        case .launch(let launch, _, let spec):
            self.launch = launch
            let loop = AppLoop(seed: 1, epochNanoseconds: Instant.epochNanoseconds)
            let link = AppLink(pad: .pad(number), spec: spec)
            loop.context = link
            (self.loop, self.link) = (loop, link)
        case .kill: (loop, link) = (nil, nil)
        }
    }

    // MARK: The app

    func start(_ now: Instant, _ body: @escaping @MainActor @Sendable () async -> Void) {
        app(now) { loop, _ in loop.start(body) }
    }
    func appStep(_ now: Instant, _ inputs: [Input]) {
        for input in inputs {
            guard case .post(let message) = input.payload else { continue }
            let payload = message.name == "app.remoteNotification" ? message["payload"] ?? .null : nil
            if let payload { pushes.append(payload) }
            app(now) { loop, link in
                if let payload { loop.start { _ = await link.singleton { PushWork() }.run(payload) } }
                let isMine = message.name.hasPrefix("app.") || message.name.hasPrefix("ui.")
                if isMine {
                    if input.exchange != 0 { link.post(message.name, exchange: input.exchange) }
                } else {
                    loop.enter { _ = link.deliver(message, exchange: input.exchange) }
                }
            }
        }
        if inputs.isEmpty { app(now) { _, _ in } }
    }
    private func app(_ now: Instant, _ body: (AppLoop, AppLink) -> Void) {
        guard let loop, let link else { return }
        link.open(self)
        // Its clock is set first: a sleep that begins now ends later.
        loop.run(until: now.nanoseconds)
        body(loop, link)
        loop.run(until: now.nanoseconds)
        for output in link.close() { school.route(output, from: .app(pad: number, launch: launch)) }
    }
    func call(_ message: Message, after posts: [Output]) -> Message? {
        let me = ParticipantID.app(pad: number, launch: launch)
        for post in posts {
            school.step(.pad(number), [Input(from: me, post.payload, exchange: post.exchange)])
        }
        calls += 1
        school.step(.pad(number), [Input(from: me, .call(message), exchange: calls)])
        return school.answers.removeValue(forKey: calls).map { Message(message.name, $0) }
    }
}
