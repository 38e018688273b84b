import FleetModel

/// What each command is carried out by (Docs/pad-commands.md).
enum CommandTable {
    typealias Handler = @Sendable (Pad, Command) -> Void

    private struct Entry: Sendable {
        /// Done by the hand of a person: the iPad is not idle then.
        var isByHand = false
        let carryOut: Handler
    }

    /// - Returns: false when there is no such command.
    static func carryOut(_ command: Command, _ pad: Pad) -> Bool {
        guard let entry = entries[command.message.name] else { return false }
        entry.carryOut(pad, command)
        return true
    }
    static func isByHand(_ name: String) -> Bool { entries[name]?.isByHand ?? false }

    private static let entries: [String: Entry] = Dictionary(
        uniqueKeysWithValues: byHand.map { ($0, Entry(isByHand: true, carryOut: $1)) }
            + others.map { ($0, Entry(carryOut: $1)) })

    /// What a person does with their hands.
    private static let byHand: [(String, Handler)] = [
        ("person.signIn", { $0.sessions.signIns.personSignsIn($1) }),
        ("app.open", { $0.apps.screen.open($1) }),
        ("app.home", { $0.apps.screen.goHome($1) }),
        ("app.perform", { $0.apps.questions.perform($1) }),
        ("app.read", { $0.apps.questions.read($1) }),
        ("app.forceQuit", { $0.apps.forceQuit($1) }),
        ("app.openURL", { $0.apps.screen.openURL($1) }),
        ("app.switcher", { $0.apps.archives.showSwitcher($1) }),
        ("device.lock", { $0.protection.lock($1) }),
        ("device.unlock", { $0.protection.unlock($1) }),
        ("settings.change", { $0.notices.changeSetting($1) }),
        ("storage.list", { $0.storage.localData.listStorage($1) }),
        ("storage.delete", { $0.storage.localData.deleteStorage($1) }),
    ]

    private static let others: [(String, Handler)] = [
        ("device.boot", { $0.kernel.reply(["ok": true], to: $1) }),
        ("person.signOut", { $0.sessions.leaveSession($1, forced: false) }),
        ("session.logOut", { $0.sessions.leaveSession($1, forced: true) }),
        ("session.bell", { $0.sessions.ringBell($1) }),
        ("session.signOutWhen", { $0.sessions.awaitMoment($1) }),
        ("session.timeOut", { $0.sessions.timeOutGuest($1) }),
        ("session.squeeze", { $0.residents.squeeze($1) }),
        ("session.evict", { $0.residents.evictPerson($1) }),
        ("app.memoryKill", { $0.apps.memoryKill($1) }),
        ("app.hang", { $0.apps.hang($1) }),
        ("app.suspend", { $0.apps.screen.suspendFront($1) }),
        ("app.resume", { $0.apps.screen.resumeFront($1) }),
        ("app.exited", { $0.apps.processExited($1) }),
        ("app.receiveFile", { $0.apps.screen.receiveFile($1) }),
        ("app.update", { $0.storage.backups.update($1) }),
        ("device.wake", { $0.apps.wakes.wakeApp($1) }),
        ("device.wakeEnded", { $0.apps.wakes.wakeEnded($1) }),
        ("device.notifications", { $0.notices.local.listNotifications($1) }),
        ("device.notice", { $0.notices.notice($1) }),
        ("device.memoryPressure", { $0.apps.memory.pressMemory($1) }),
        ("device.backup", { $0.storage.backups.backUp($1) }),
        ("device.restore", { $0.storage.backups.restore($1) }),
        ("device.airplane", { $0.device.setAirplane($1) }),
        ("device.power", { $0.device.setPower($1) }),
        ("device.wifi", { $0.device.setWiFi($1) }),
        ("device.interrupt", { $0.apps.interrupt($1) }),
        ("device.interruptEnded", { $0.apps.interruptEnded($1) }),
        ("device.reboot", { $0.device.reboot($1) }),
        ("device.powerCut", { $0.device.powerCut($1) }),
        ("clock.set", { $0.device.setClock($1) }),
        ("clock.jump", { $0.device.jumpClock($1) }),
        ("identity.change", { $0.accounts.changeIdentity($1) }),
        ("identity.revoke", { $0.accounts.revokeIdentity($1) }),
        ("storage.purge", { $0.storage.localData.purgeStorage($1) }),
        ("storage.fill", { $0.storage.fillStorage($1) }),
        ("storage.purgeSignedOut", { $0.storage.localData.purgeSignedOut($1) }),
        ("storage.pressure", { $0.storage.localData.pressStorage($1) }),
        ("mdm.command", { $0.management.manage($1) }),
        ("pad.people", { $0.residents.listPeople($1) }),
        ("pad.pending", { $0.storage.localData.listPending($1) }),
        ("pad.observe", { $0.storage.localData.observe($1) }),
    ]
}
