import FleetModel

/// The ways in which a process ends (app-lifecycle.md 5).
extension AppLifecycle {
    /// ASSUMED: time between the memory warning and the kill of an app that runs.
    private static let memoryWarningTime = Span.milliseconds(100)

    /// Kills a launch and tells everybody.
    /// - Parameter isDead: the World has already seen the process die.
    func end(_ launch: Int, reason: EndReason, _ detail: Value = .empty, forced: Bool = false, isDead: Bool = false) {
        guard let run = withdraw(launch, reason: reason, detail, isDead: isDead) else { return }
        pad.daemons.tell(.appEnded(run.identity, forced: forced), in: run.account)
    }

    /// Takes a launch off the system's books without a word to the daemons: when the power is gone, they are gone too.
    @discardableResult func withdraw(_ launch: Int, reason: EndReason, _ detail: Value = .empty, isDead: Bool = false)
        -> AppRun?
    {
        guard let run = runs.removeValue(forKey: launch) else { return nil }
        kernel.timers.cancel { timer in
            switch timer {
            case .ready(launch), .callback(launch, _), .suspend(launch), .backgroundLimit(launch), .expiryGrace(launch),
                .memoryKill(launch):
                true
            default: false
            }
        }
        if run.process != .starting {
            if !isDead { emit(Output(to: .pad(kernel.spec.number), .host(.kill(launch: launch)))) }
            var detail = detail
            detail["reason"] = reason.fieldValue
            noteLife(.appExited, run, detail)
            if reason != .userSwitch, !pad.residents.isSynced(run.identity.person) { mark(.appKilledWithPending) }
            if reason == .watchdog { mark(.watchdog) }
        }
        archives.loseArchive(after: run, reason)
        if reason != .powerCut { kernel.report(.ended(run)) }
        questions.questionsLost(launch, "\(run.identity.app) ended (\(reason.rawValue))")
        screen.lost(run, reason)
        pad.end(.launch(launch))
        kernel.needsSettling = true
        return run
    }

    /// The World saw a process die: by itself, by a fault, or because it does not return.
    func processExited(_ command: Command) {
        guard let exit = command.whole(PadCommand.ProcessExited.self) else {
            return refuse(command, "'launch' is missing: the number of the launch that ended")
        }
        // A kill from outside is what memory pressure does: no notice.
        let reason =
            switch exit.reason {
            case "kill"?, nil: EndReason.memory
            case let reason?: EndReason(rawValue: reason) ?? .crash
            }
        let detail = NoteDetail.Life { $0.detail = exit.detail }.body
        end(exit.launch, reason: reason, detail, isDead: true)
        done(command)
    }

    /// Without notice, its transfers cancelled, no background launch until the person opens it (S129-S133). Disagree: no callback, or
    /// `willTerminate` of one that runs (switch `forceQuit`).
    func forceQuit(_ command: Command) {
        guard let person = pad.sessions.activePerson else { return refuse(command, "nobody is signed in") }
        guard let launch = shownInSwitcher(command.asked(PadCommand.ForceQuit.self).app, person),
            let app = runs[launch]?.identity.app
        else {
            return refuse(command, "\(command.asked(PadCommand.ForceQuit.self).app ?? "no app") does not run")
        }
        screen.refuseOpening(of: app, "\(app) was quit")
        bar(app, person)
        if kernel.spec.switches.is("forceQuit", "willTerminate"), runs[launch]?.process == .running {
            runs[launch]?.terminating = .forceQuit
            kernel.needsSettling = true
        } else {
            end(launch, reason: .forceQuit, forced: true)
        }
        archives.forgetState(of: app, person)
        mark(.forceQuit)
        done(command)
    }

    /// The named app, else the one on the screen, else the one used last.
    private func shownInSwitcher(_ app: AppName?, _ person: Person) -> Int? {
        if let app { return running(person, app: app).last?.launch }
        return screen.foreground
            ?? runs.values.max { (screen.lastUse($0), $0.identity.launch) < (screen.lastUse($1), $1.identity.launch) }?
            .identity
            .launch
    }

    /// A suspended app goes without notice. One that runs in the background may hear `willTerminate`, the one on the screen gets a
    /// warning first (app-lifecycle.md 2, 5, 11).
    func memoryKill(_ command: Command) {
        guard let launch = victim(command.asked(PadCommand.MemoryKill.self).app), let run = runs[launch] else {
            return refuse(command, "no app runs that could be killed")
        }
        switch (run.process, run.phase) {
        case (.running, .background) where run.callback == nil:
            runs[launch]?.terminating = .memory
        case (.running, .active), (.running, .inactive), (.running, .background):
            send(AppMessages.MemoryWarning().message, exchange: 0, to: launch)
            kernel.timers.set(.memoryKill(launch: launch), at: now + kernel.spec.real(Self.memoryWarningTime))
        default: end(launch, reason: .memory)
        }
        done(command)
    }
    /// Suspended ones first, then the background, the screen last; among them the one that holds most memory (S189), among equals the
    /// oldest.
    func victim(_ app: AppName?) -> Int? {
        let candidates = runs.keys.filter { app == nil || runs[$0]?.identity.app == app }.sorted {
            (memory.footprint(of: $1), $0) < (memory.footprint(of: $0), $1)
        }
        for phase in [AppPhase.suspended, .background] {
            if let found = candidates.first(where: { runs[$0]?.phase == phase && $0 != screen.foreground }) {
                return found
            }
        }
        return candidates.first
    }
}
