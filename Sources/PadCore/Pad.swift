import FleetModel
import Storage

/// One emulated iPad: a kernel, and services that own their state (Docs/decisions/0018-services-own-their-state.md).
///
/// A synchronous state machine: an input changes state, `settle` then does what follows until nothing more does.
/// Not modelled: what is on the screen.
public final class Pad: Participant, InvariantHolder {
    let kernel: Kernel
    let catalogue: AppCatalogue
    let daemons: DaemonHost
    let device: Device
    let storage: DeviceStorage
    let accounts: Accounts
    let residents: Residents
    let sessions: Sessions
    let apps: AppLifecycle
    let protection: Protection
    let notices: Notices
    let network: Network
    let management: Management
    let copies: CopyWatch

    /// Virtual time of the step that is under way, or of the last one.
    public var now: Instant { kernel.now }

    /// - Parameters:
    ///   - spec: Docs/pad-commands.md, last line.
    ///   - disk: opens a volume by name; a restarted iPad is given the same disks.
    /// - Throws: `PadProblem` for a wrong specification, or what the disk throws.
    public convenience init(spec: Value, disk: @escaping (String) throws -> Disk) throws {
        try self.init(spec: spec, disk: disk, daemons: DaemonHost.systemDaemons())
    }
    init(spec: Value, disk: @escaping (String) throws -> Disk, daemons: [any Daemon]) throws {
        kernel = try Kernel(try PadSpec(spec), systemDisk: try disk("system"))
        catalogue = AppCatalogue(kernel)
        self.daemons = DaemonHost(kernel, daemons)
        device = Device(kernel)
        storage = DeviceStorage(kernel, openDisk: disk)
        accounts = Accounts(kernel)
        residents = Residents(kernel)
        sessions = Sessions(kernel)
        apps = AppLifecycle(kernel)
        protection = Protection(kernel)
        notices = Notices(kernel)
        network = Network(kernel)
        management = Management(kernel)
        copies = CopyWatch(kernel)
        var observers: [any PadObserver] = [copies]
        // What an app did comes before what that did to its edits.
        if kernel.spec.watches.habits { observers.insert(Lint(kernel), at: 0) }
        if kernel.spec.watches.arrivals { observers.append(ArrivalWatch(kernel)) }
        kernel.attach(self, observers: observers)
    }

    deinit { kernel.detach() }

    /// All that have state which may have to go, in the order in which they hear of it.
    private var services: [any PadService] {
        [
            management.setup, management.channels, sessions, sessions.signIns, protection, apps.memory, apps.screen,
            apps.questions, apps, storage.files, notices.local, network, copies,
        ]
    }
    /// Something ends: every service lets go of what belongs to it.
    func end(_ ending: Ending) {
        for service in services { service.ends(ending) }
    }

    /// Asks the kernel, each service and the daemons, in this order; the first thing that does not hold is thrown.
    public func checkInvariants() throws(BrokenInvariant) {
        try kernel.checkInvariants()
        for service in services { try service.checkInvariants() }
        try daemons.checkInvariants()
    }

    // MARK: The seam

    /// Due timers first, then each input with what follows from it, then daemons and a sign-out that is due; state is saved before it
    /// returns.
    public func step(now: Instant, inputs: [Input], link: any CallLink) -> StepResult {
        kernel.begin(now)
        storage.setDiskClocks()
        fireTimers()
        for input in inputs {
            take(input)
            settle()
        }
        wakeDaemons()
        sessions.signOutIfDue()
        network.push.keepPolling()
        kernel.saveState()
        if Invariants.areChecked { reportBrokenInvariants() }
        return kernel.end(nextTimer: nextTimer)
    }

    /// What cannot be ends the run at the step that brought it about.
    private func reportBrokenInvariants() {
        do { try checkInvariants() } catch {
            kernel.problem("an invariant of \(kernel.spec.deviceName) is broken: \(error)")
        }
    }

    private func take(_ input: Input) {
        if case .command(let message) = input.payload {
            return obey(Command(from: input.from, message: message, exchange: input.exchange))
        }
        guard !kernel.isDown else {
            if case .call(let message) = input.payload {
                answer(message, LinkError.malformed("the iPad is off").body, to: input)
            }
            return
        }
        switch input.payload {
        case .call(let message): answer(message, serve(message, from: input.from), to: input)
        case .post(let message): receive(message, exchange: input.exchange, from: input.from)
        case .response(let response): network.requestEnded(input.exchange, .response(response))
        case .failure(let failure): network.requestEnded(input.exchange, .failure(failure))
        case .push(let message): network.pushed(message)
        case .answer, .request, .command, .host, .note: break
        }
    }
    private func answer(_ message: Message, _ body: Value, to input: Input) {
        kernel.emit(Output(to: input.from, .answer(Message(message.name, body)), exchange: input.exchange))
    }

    /// Docs/pad-commands.md.
    private func obey(_ command: Command) {
        let name = command.message.name
        guard !kernel.isDown else {
            return kernel.reply(["refused": .string("\(kernel.spec.deviceName) is off")], to: command)
        }
        if kernel.boot() { device.boot() }
        kernel.needsSettling = true
        if !CommandTable.carryOut(command, self) {
            let reason = "\(kernel.spec.deviceName) knows no command '\(name)'; see Docs/pad-commands.md"
            kernel.reply(["refused": .string(reason)], to: command)
        }
        if CommandTable.isByHand(name) { sessions.watchIdleness() }
    }

    // MARK: Time

    private func fireTimers() {
        guard !kernel.isDown else { return }
        while let timer = kernel.timers.popDue(now) {
            fire(timer)
            settle()
        }
    }

    private func fire(_ timer: PadTimer) {
        switch timer {
        case .request(let exchange): network.requestTimedOut(exchange)
        case .refusals: network.giveRefusals()
        case .ready(let launch): apps.processReady(launch)
        case .callback(let launch, let exchange): apps.callbackOverdue(launch, exchange)
        case .suspend(let launch): apps.suspend(launch)
        case .backgroundLimit(let launch): apps.backgroundTimeUsedUp(launch)
        case .expiryGrace(let launch): apps.expiryGraceOver(launch)
        case .memoryKill(let launch): apps.end(launch, reason: .memory)
        case .localNotification: notices.local.notificationsDue()
        case .identityNotice(let person): accounts.giveDelayedIdentity(of: person)
        case .memoryPressure: apps.memory.memoryStillShort()
        case .protectedDataNotice: protection.announceSealing()
        case .protectedData: protection.seal()
        case .question(let number): apps.questions.questionOverdue(number)
        case .signInRetry: sessions.signIns.sendSignIn()
        case .idle: sessions.sessionIsIdle()
        case .autoLock: protection.lockByItself()
        case .renewal(let person): network.renewals.sendRenewal(person)
        case .poll: network.push.pollAgain()
        case .management(let side): management.channels.managementRested(side)
        case .setup: management.setup.setupTakesTooLong()
        case .fetch: apps.wakes.fetchesDue()
        }
    }

    private func wakeDaemons() {
        guard kernel.isRunning else { return }
        daemons.wake { settle() }
    }

    private var nextTimer: Instant? {
        guard !kernel.isDown else { return nil }
        return [kernel.timers.next, daemons.nextWake].compactMap { $0 }.min()
    }
}
