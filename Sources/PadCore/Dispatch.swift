import FleetModel

/// Finds who answers a message of an app: the system itself or a daemon, by the prefix of its name.
extension Pad {
    /// Answers a synchronous call. Every call is answered, that of a process which has just died too.
    func serve(_ message: Message, from sender: ParticipantID) -> Value {
        guard let app = identity(of: sender) else {
            return LinkError.malformed("this process does not run on \(deviceName)").body
        }
        asked(message, message.handOverExchange, app)
        switch message.service {
        case "file": return serveFile(message, app)
        case "app": return serveLifecycle(message, app)
        case "identity" where message.name == "identity.get": return identityBody(of: app.person)
        case "identity" where message.name == "identity.taken": return takeIdentity(message, app)
        default: break
        }
        guard let daemon = daemonOf[message.service] else {
            return LinkError.malformed("no service answers '\(message.name)'; see Docs/local-link.md").body
        }
        let answer = daemon.call(message, from: known(app, to: daemon), self).body
        noteFull(answer, app)
        needsSettling = true
        if message.name == "docs.container" {
            containerOpened(message, app)
            if let path = answer["path"]?.string { opened(container: path, by: app.launch) }
        }
        return answer
    }

    func receive(_ message: Message, exchange: UInt64, from sender: ParticipantID) {
        guard let app = identity(of: sender) else { return }
        needsSettling = true
        switch message.service {
        case "app" where message.name == "app.habit": return habitTold(message, app)
        case "app": return callbackReturned(message, exchange, app.launch)
        case "ui":
            polls.stir(app.launch)
            if message.name == "ui.began" { return questionBegan(message, app.launch) }
            return questionAnswered(message, exchange, app.launch)
        default: break
        }
        asked(message, exchange, app)
        if let daemon = daemonOf[message.service] {
            return daemon.post(message, exchange: exchange, from: known(app, to: daemon), self)
        }
        guard exchange != 0 else { return }
        let error = LinkError.malformed("no service answers '\(message.name)'; see Docs/local-link.md")
        post(Message(message.name, error.body), exchange: exchange, to: app)
    }

    private func identity(of sender: ParticipantID) -> AppIdentity? {
        guard case .app(spec.number, let launch) = sender else { return nil }
        return runs[launch]?.identity
    }
    private func known(_ app: AppIdentity, to daemon: any Daemon) -> AppIdentity {
        type(of: daemon).isOfAccount ? inAccount(app) : app
    }
    private func opened(container path: String, by launch: Int) {
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        if runs[launch]?.containers.contains(folder) == false { runs[launch]?.containers.append(folder) }
    }
}

extension Message {
    /// `kvs` of `kvs.set`.
    var service: String { name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name }
}

/// What a hand or fate does to the iPad, and who waits for the answer.
struct Command {
    var from: ParticipantID
    var message: Message
    /// 0: nobody waits.
    var exchange: UInt64
}

extension Pad {
    func reply(_ body: Value, to command: Command) {
        guard command.exchange != 0 else { return }
        emit(Output(to: command.from, .post(Message(command.message.name, body)), exchange: command.exchange))
    }
    func done(_ command: Command) { reply(["ok": true], to: command) }
    func refuse(_ command: Command, _ reason: String) { reply(["refused": .string(reason)], to: command) }

    /// What a person does with their hands.
    private static let deeds = [
        "person.signIn", "app.open", "app.home", "app.perform", "app.read", "app.forceQuit", "app.openURL",
        "app.switcher", "device.lock", "device.unlock", "settings.change", "storage.list", "storage.delete",
    ]

    /// Docs/pad-commands.md.
    func obey(_ command: Command) {
        guard !isDown else { return refuse(command, "\(deviceName) is off") }
        if !isBooted { boot() }
        needsSettling = true
        defer { if Self.deeds.contains(command.message.name) { watchIdleness() } }
        let message = command.message
        switch message.name {
        case "device.boot": done(command)
        case "person.signIn": personSignsIn(command)
        case "person.signOut": leaveSession(command, forced: false)
        case "session.logOut": leaveSession(command, forced: true)
        case "session.bell": ringBell(command)
        case "session.signOutWhen": awaitMoment(command)
        case "session.timeOut": timeOutGuest(command)
        case "session.squeeze": squeeze(command)
        case "session.evict": evictPerson(command)
        case "app.open": open(command)
        case "app.home": goHome(command)
        case "app.perform": perform(command)
        case "app.read": read(command)
        case "app.forceQuit": forceQuit(command)
        case "app.memoryKill": memoryKill(command)
        case "app.hang": hang(command)
        case "app.suspend": suspendFront(command)
        case "app.resume": resumeFront(command)
        case "app.exited": processExited(command)
        case "app.openURL": openURL(command)
        case "app.receiveFile": receiveFile(command)
        case "app.update": update(command)
        case "app.switcher": showSwitcher(command)
        case "device.wake": wakeApp(command)
        case "device.wakeEnded": wakeEnded(command)
        case "device.notifications": listNotifications(command)
        case "device.lock": lock(command)
        case "device.unlock": unlock(command)
        case "device.notice": notice(command)
        case "device.memoryPressure": pressMemory(command)
        case "device.backup": backUp(command)
        case "device.restore": restore(command)
        case "settings.change": changeSetting(command)
        case "device.airplane": setAirplane(command)
        case "device.power": setCondition(\.isOnPower, lack: "on-battery", command)
        case "device.wifi": setCondition(\.isOnWiFi, lack: "no-wifi", command)
        case "device.interrupt": interrupt(command)
        case "device.interruptEnded": interruptEnded(command)
        case "device.reboot": reboot(command)
        case "device.powerCut": powerCut(command)
        case "clock.set": setClock(command)
        case "clock.jump": jumpClock(command)
        case "identity.change": changeIdentity(command)
        case "identity.revoke": revokeIdentity(command)
        case "storage.purge": purgeStorage(command)
        case "storage.fill": fillStorage(command)
        case "storage.purgeSignedOut": purgeSignedOut(command)
        case "mdm.command": manage(command)
        case "storage.list": listStorage(command)
        case "storage.delete": deleteStorage(command)
        case "storage.pressure": pressStorage(command)
        case "pad.people": reply(["people": .strings(people)], to: command)
        case "pad.pending": reply(["pending": pendingBody], to: command)
        case "pad.observe": observe(command)
        default: refuse(command, "\(deviceName) knows no command '\(message.name)'; see Docs/pad-commands.md")
        }
    }
}
