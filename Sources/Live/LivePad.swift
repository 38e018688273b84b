import CCurl
import CInterpose
import FleetModel
import Glibc
import Nemesis
import Run

/// The process of one iPad in live: the `Pad` participant, stepped by its own loop when something arrives or its timer is due.
///
/// Its apps are children of a small process that was forked before there was anything to inherit; they die with it. Requests go out
/// over libcurl. Everything the run has to know goes to the supervisor over one socket.
final class LivePad {
    let number: Int
    let clock: LiveClock
    private let pad: any Participant
    let control: Wire
    let launcher: Zygote
    private let http: HTTPClient
    private var transport: FaultyTransport
    let logs: String
    /// Of the run, for a proxy that has the same file: what this run bends nobody else has to.
    private let scenario: String?
    /// Of the run: apps draw from it.
    let seed: Value
    var apps: [Int: AppProcess] = [:]
    /// What is due after so many more messages of the apps.
    var countedHops = HopCounter()
    /// What is due after so many more calls of a name.
    var countedCalls = CallCounter()
    /// What has come for the next step.
    private var inputs: [Input] = []
    private var timer: Instant?
    /// What requests cost; nil when nobody measures it.
    private var requests: RequestLog?
    /// Messages handled since the supervisor was told last.
    private var handled = 0
    /// Numbers of calls of apps; far from those of anybody's questions.
    private var question: UInt64 = 1 << 48

    /// A launch of an app, and what of it is on its way.
    struct AppProcess {
        var pid: pid_t
        var wire: Wire
    }
    /// Seconds of the machine until a request counts as lost: longer than a poll for pushes may take (40). ASSUMED, as Apple's default.
    private static let patience = 60

    /// - Parameters:
    ///   - spec: the iPad's, with `live`: the clock, `base` of the Cloud's URLs, `certificate` to trust it by, `logs`,
    ///     `scenario`, `measures` when requests are to be told, and for the transport `faults`, `pads`, `stormEnd` (ns), `seed`, `isOffline`.
    ///   - make: makes the iPad and, in their own processes, its apps.
    init(id: ParticipantID, spec: Value, socket: FrameSocket, make: @escaping ParticipantFactory) throws {
        guard let number = id.pad, let live = spec["live"], let clock = LiveClock(live) else {
            throw RunEnd.harness("\(id) got no clock")
        }
        self.number = number
        self.clock = clock
        logs = live["logs"]?.string ?? ""
        seed = spec["seed"] ?? .int(0)
        scenario = live["scenario"]?.string
        // First, while this process has nothing that an app could inherit.
        launcher = try Zygote(name: ProcessName.starter(ofPad: number), closing: [socket.fd]) { id, spec, socket in
            LiveApp.serve(try make(id, spec), on: Wire(socket.fd), clock)
        }
        control = Wire(socket.fd)
        http = try HTTPClient(
            base: live["base"]?.string ?? "",
            patience: .silence(seconds: Self.patience),
            certificate: live["certificate"]?.string)
        transport = try FaultyTransport(
            faults: (live["faults"]?.array ?? []).compactMap(FaultSpec.init), pad: number,
            pads: Int(clamping: live["pads"]?.int ?? 1), stormEnd: Instant(nanoseconds: live["stormEnd"]?.int ?? 0),
            seed: UInt64(bitPattern: live["seed"]?.int ?? 0))
        transport.isOffline = live["isOffline"]?.bool ?? false
        requests = live["measures"]?.bool == true ? RequestLog(clock) : nil
        pad = try make(id, spec)
    }

    /// Runs until the supervisor ends this process or goes away.
    func run() -> Never {
        while !control.isClosed {
            wait()
            control.receive()
            while let frame = control.next() { take(frame) }
            for (launch, app) in apps.sorted(by: { $0.key < $1.key }) { listen(to: launch, app) }
            for end in http.finished() { transport.ended(end.payload, exchange: end.exchange, clock.now) }
            passOn()
            // An app may have ended in what the last step led to: that is told in the same round.
            while !inputs.isEmpty { step() }
            if let timer, timer <= clock.now { step() }
            passOn()
            for app in apps.values { app.wire.flush() }
        }
        _exit(0)
    }

    /// What the network lets through by now.
    private func passOn() {
        for act in transport.take(clock.now) {
            switch act {
            case .send(let request, let exchange): http.send(request, exchange: exchange)
            case .arrive(let payload, let exchange):
                requests?.ended(payload, exchange: exchange, at: hr_real_ns())
                arrive(Input(from: .cloud, payload, exchange: exchange))
            case .mark(let mark): note(.mark(mark))
            }
        }
    }

    private func wait() {
        let next = [timer, transport.next].compactMap { $0 }.min()
        let milliseconds = inputs.isEmpty ? clock.milliseconds(until: next, atMost: 60_000) : 0
        var descriptors = [curl_waitfd(fd: control.fd, events: Int16(CURL_WAIT_POLLIN), revents: 0)]
        for app in apps.values {
            let events = CURL_WAIT_POLLIN | (app.wire.wantsToSend ? CURL_WAIT_POLLOUT : 0)
            descriptors.append(curl_waitfd(fd: app.wire.fd, events: Int16(events), revents: 0))
        }
        http.wait(for: descriptors, milliseconds: milliseconds)
    }

    // MARK: What comes

    func arrive(_ input: Input) { inputs.append(input) }

    private func take(_ frame: (kind: FrameKind, body: [UInt8])) {
        var reader = ByteReader(frame.body)
        switch frame.kind {
        case .inputs:
            guard let more = try? reader.inputs() else { fail("the supervisor sent no inputs") }
            inputs += more
        case .order:
            guard let order = try? Value(from: &reader) else { fail("the supervisor sent no order") }
            obey(order)
        default: fail("the supervisor sent an unknown frame")
        }
    }

    /// What the nemesis wants of the process itself.
    private func obey(_ order: Value) {
        let message = order["name"]?.string.map { Message($0, order["body"] ?? .empty) }
        let reason = order["reason"]?.string.flatMap(KillReason.init) ?? .kill
        switch order["do"]?.string {
        case "count":
            let hops = Int(clamping: order["hops"]?.int ?? 0)
            let act = message.map { HopCounter.Act.command($0) } ?? .kill(reason)
            if hops > 0 { countedHops.add(act, after: hops) } else { fallDue(act) }
        case "countCall":
            let cut = order["seed"]?.int.map { seed in
                FaultAct.powerCut(
                    pad: number, seed: UInt64(bitPattern: seed),
                    outage: Span(nanoseconds: order["outage"]?.int ?? 0))
            }
            countedCalls.add(
                cut ?? .killApp(pad: number, afterHops: 0, reason: reason),
                after: Int(clamping: order["nth"]?.int ?? 1),
                order["call"]?.string ?? "")
        case "forgetCounts": (countedHops, countedCalls) = (HopCounter(), CallCounter())
        case "goOffline": transport.isOffline = true
        case "fall":
            while !inputs.isEmpty { step() }
            fall(message)
        default: fail("the supervisor ordered something unknown")
        }
    }

    /// The last step.
    /// - Parameter outage: ns until the iPad boots again, where the supervisor does not know it.
    private func fall(_ message: Message?, outage: Int64? = nil) -> Never {
        if let message { arrive(Input(from: .people, .command(message))) }
        step()
        var writer = ByteWriter()
        if let outage { writer.signed(outage) }
        _ = control.send(.fallen, writer)
        // The disk is as the power left it: nothing may be written any more.
        while true { pause() }
    }

    /// A message of an app, before the step that takes it: a call is answered at once.
    func take(call message: Message, from launch: Int) {
        question += 1
        arrive(Input(from: .app(pad: number, launch: launch), .call(message), exchange: question))
        step()
    }

    // MARK: Steps

    private func step() {
        let now = clock.now
        let batch = inputs
        inputs = []
        handled += batch.count
        let result = pad.step(now: now, inputs: batch, link: NoLink())
        // Before anybody hears of it: an answer that has been sent cannot be taken back.
        let due = countCalls(batch)
        guard result.problems.isEmpty else { fail("could not go on: " + result.problems.joined(separator: "; ")) }
        timer = result.nextTimer
        var told: [Output] = []
        for output in result.outputs { if !route(output) { told.append(output) } }
        tell(told, at: now)
        for case .powerCut(_, let seed, let outage) in due { fall(.powerCut(seed: seed), outage: outage.nanoseconds) }
    }

    /// - Returns: false for what concerns the supervisor.
    private func route(_ output: Output) -> Bool {
        switch (output.payload, output.to) {
        case (.post, .app(_, let launch)): post(output, to: launch)
        case (.answer(let message), .app(_, let launch)): answer(message, to: launch)
        case (.request(var request), _):
            request.headers["X-Homeroom-Cause"] = output.cause.isEmpty ? nil : output.cause
            request.headers["X-Homeroom-Scenario"] = scenario
            requests?.began(request, exchange: output.exchange, cause: output.cause, at: hr_real_ns())
            transport.send(request, exchange: output.exchange, cause: output.cause, clock.now)
        case (.host(.launch(let launch, let app, let spec)), _): start(launch, of: app, spec)
        case (.host(.kill(let launch)), _): end(launch)
        case (.note(let note), _):
            suspend(note)
            return false
        case (.post, .people): return false
        default: fail("sent a \(output.payload.kindName) to \(output.to), which no link carries")
        }
        return true
    }

    /// More requests are told even when there is nothing else to tell.
    private static let requestsMax = 64

    /// Tells the supervisor what concerns it.
    func tell(_ outputs: [Output], at instant: Instant) {
        guard !outputs.isEmpty || requests?.count ?? 0 >= Self.requestsMax else { return }
        var writer = ByteWriter(reserving: 256)
        writer.signed(instant.nanoseconds)
        writer.varint(UInt64(handled))
        writer.outputs(outputs)
        let ended = requests?.take() ?? []
        writer.varint(UInt64(ended.count))
        for request in ended { request.write(to: &writer) }
        handled = 0
        guard control.send(.outputs, writer) else { _exit(0) }
    }
    func note(_ note: Note) { tell([Output(to: .pad(number), .note(note))], at: clock.now) }

    /// The testbed failed: the run ends.
    func fail(_ text: String) -> Never { give(up: .failed, "ipad-\(number): \(text)") }
    /// Ends this process with last words.
    func give(up kind: FrameKind, _ text: String) -> Never {
        var writer = ByteWriter()
        writer.string(text)
        _ = control.send(kind, writer)
        _exit(86)
    }
}

/// Only apps call.
private final class NoLink: CallLink {
    func call(_ message: Message, after posts: [Output]) -> Message? { nil }
}
