import CInterpose
import FleetModel
import Glibc
import Nemesis
import Run

/// The apps of an iPad in live: processes that are started, heard, stopped and killed.
extension LivePad {
    func start(_ launch: Int, of app: AppName, _ spec: Value) {
        var spec = spec
        spec["app"] = .string(app)
        spec["seed"] = seed
        let log = logs.isEmpty ? "" : "\(logs)/ipad-\(number)-app-\(launch).log"
        do {
            let id = ParticipantID.app(pad: number, launch: launch)
            let (pid, socket) = try launcher.spawn(id, spec: spec, log: log, limitMilliseconds: 0)
            apps[launch] = AppProcess(pid: pid, wire: Wire(socket.fd))
        } catch { fail("\(error)") }
    }

    /// Kills what is left of a launch.
    /// - Returns: its wait status.
    @discardableResult
    func end(_ launch: Int) -> Int32 {
        guard let app = apps.removeValue(forKey: launch) else { return 0 }
        kill(app.pid, SIGKILL)
        app.wire.close()
        return launcher.reap(app.pid)
    }

    // MARK: What an app says

    func listen(to launch: Int, _ app: AppProcess) {
        app.wire.receive()
        while apps[launch] != nil, let frame = app.wire.next() { take(frame, from: launch) }
        guard apps[launch] != nil, app.wire.isClosed else { return }
        if app.wire.isMalformed { malformed(launch) } else { ended(launch) }
    }

    private func take(_ frame: (kind: FrameKind, body: [UInt8]), from launch: Int) {
        var reader = ByteReader(frame.body)
        switch frame.kind {
        case .outputs:
            guard let posts = try? reader.outputs() else { return malformed(launch) }
            for post in posts { take(post, from: launch) }
        case .call:
            guard let posts = try? reader.outputs(), let message = try? Message(from: &reader) else {
                return malformed(launch)
            }
            for post in posts { take(post, from: launch) }
            guard countHop(of: launch) else { return }
            take(call: message, from: launch)
        case .leak, .machine: give(up: frame.kind, (try? reader.string()) ?? "unknown")
        default: malformed(launch)
        }
    }
    /// An app has one link, to its own iPad; whatever else it claims to send does not exist.
    private func take(_ output: Output, from launch: Int) {
        guard case .post = output.payload, output.to == .pad(number), countHop(of: launch) else { return }
        arrive(Input(from: .app(pad: number, launch: launch), output.payload, exchange: output.exchange))
    }

    private func malformed(_ launch: Int) { crashed(launch, "it sent a malformed frame") }
    /// The process is gone: a trap, an exit, a signal. Or it only closed its link, and is ended by a signal that changes nothing for one
    /// that is dying already, and that tells the two apart.
    private func ended(_ launch: Int) {
        guard let app = apps.removeValue(forKey: launch) else { return }
        kill(app.pid, SIGUSR1)
        let status = launcher.reap(app.pid)
        app.wire.close()
        guard status >= 0 else { fail("the process that starts its apps has died, and they with it") }
        let words = WaitStatus.words(for: status)
        guard words != WaitStatus.killed else {
            fail(
                "app-\(launch) was killed from outside (signal 9), as the machine does when its memory runs out: use fewer iPads or "
                    + "give it more memory, and run again")
        }
        exited(launch, "crash", words)
    }
    private func crashed(_ launch: Int, _ how: String) {
        end(launch)
        exited(launch, "crash", how)
    }
    private func exited(_ launch: Int, _ reason: String, _ detail: String? = nil) {
        arrive(
            Input(
                from: .people,
                .command(
                    Message(
                        PadCommand.ProcessExited.name,
                        ["launch": .int(launch), "reason": .string(reason), "detail": .optional(detail)]))))
    }

    // MARK: What an app is told

    func post(_ output: Output, to launch: Int) {
        guard apps[launch] != nil, countHop(of: launch), let app = apps[launch] else { return }
        var writer = ByteWriter(reserving: 128)
        writer.inputs([Input(from: .pad(number), output.payload, exchange: output.exchange)])
        app.wire.queue(.inputs, writer)
    }
    func answer(_ message: Message, to launch: Int) {
        var writer = ByteWriter(reserving: 128)
        message.write(to: &writer)
        apps[launch]?.wire.queue(.answer, writer)
    }

    /// No code of a suspended app runs (app-lifecycle.md 1): its process is stopped, and its timers fall due when it goes on.
    func suspend(_ note: Note) {
        guard note.kind == .appSuspended || note.kind == .appResumed,
            let app = note.detail["launch"]?.int.flatMap({ Int(exactly: $0) }).flatMap({ apps[$0] })
        else { return }
        kill(app.pid, note.kind == .appSuspended ? SIGSTOP : SIGCONT)
    }

    // MARK: Counts of the nemesis

    /// Counts one message of this iPad's apps and does what falls due before it.
    /// - Returns: false when its app was killed: the message is void.
    private func countHop(of launch: Int) -> Bool {
        guard !countedHops.isEmpty else { return true }
        for act in countedHops.count() { fallDue(act, at: launch) }
        return apps[launch] != nil
    }
    /// Counts what apps have asked for and was done just now; apps that fall due end before they hear of it.
    /// - Returns: power cuts that fall due.
    func countCalls(_ inputs: [Input]) -> [FaultAct] {
        var cuts: [FaultAct] = []
        for input in inputs {
            guard case .app(_, let launch) = input.from else { continue }
            for act in countedCalls.count(input.payload.subject) {
                if case .killApp(_, _, let reason) = act {
                    fallDue(.kill(reason), at: launch)
                } else {
                    cuts.append(act)
                }
            }
        }
        return cuts
    }
    /// A command, or the end of the app whose message it was; of the newest when it was nobody's.
    func fallDue(_ act: HopCounter.Act, at launch: Int? = nil) {
        switch act {
        case .command(let message): arrive(Input(from: .people, .command(message)))
        case .kill(let reason):
            guard let launch = launch ?? apps.keys.max(), apps[launch] != nil else { return }
            end(launch)
            note(.mark(reason == .kill ? .appKilled : .appCrashed))
            exited(launch, reason.rawValue)
        }
    }
}
