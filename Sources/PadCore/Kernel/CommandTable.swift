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
        (PadCommand.SignIn.name, { $0.sessions.signIns.personSignsIn($1) }),
        (PadCommand.OpenApp.name, { $0.apps.screen.open($1) }),
        (PadCommand.GoHome.name, { $0.apps.screen.goHome($1) }),
        (PadCommand.Perform.name, { $0.apps.questions.perform($1) }),
        (PadCommand.Read.name, { $0.apps.questions.read($1) }),
        (PadCommand.ForceQuit.name, { $0.apps.forceQuit($1) }),
        (PadCommand.OpenURL.name, { $0.apps.screen.openURL($1) }),
        (PadCommand.ShowSwitcher.name, { $0.apps.archives.showSwitcher($1) }),
        (PadCommand.Lock.name, { $0.protection.lock($1) }),
        (PadCommand.Unlock.name, { $0.protection.unlock($1) }),
        (PadCommand.ChangeSetting.name, { $0.notices.changeSetting($1) }),
        (PadCommand.ListStorage.name, { $0.storage.localData.listStorage($1) }),
        (PadCommand.DeleteStorage.name, { $0.storage.localData.deleteStorage($1) }),
    ]

    private static let others: [(String, Handler)] = [
        (PadCommand.Boot.name, { $0.kernel.reply(CommandAnswer.done, to: $1) }),
        (PadCommand.SignOut.name, { $0.sessions.leaveSession($1, forced: false) }),
        (PadCommand.LogOut.name, { $0.sessions.leaveSession($1, forced: true) }),
        (PadCommand.RingBell.name, { $0.sessions.ringBell($1) }),
        (PadCommand.SignOutWhen.name, { $0.sessions.awaitMoment($1) }),
        (PadCommand.TimeOutGuest.name, { $0.sessions.timeOutGuest($1) }),
        (PadCommand.Squeeze.name, { $0.residents.squeeze($1) }),
        (PadCommand.Evict.name, { $0.residents.evictPerson($1) }),
        (PadCommand.MemoryKill.name, { $0.apps.memoryKill($1) }),
        (PadCommand.Hang.name, { $0.apps.hang($1) }),
        (PadCommand.Suspend.name, { $0.apps.screen.suspendFront($1) }),
        (PadCommand.Resume.name, { $0.apps.screen.resumeFront($1) }),
        (PadCommand.ProcessExited.name, { $0.apps.processExited($1) }),
        (PadCommand.ReceiveFile.name, { $0.apps.screen.receiveFile($1) }),
        (PadCommand.UpdateApp.name, { $0.storage.backups.update($1) }),
        (PadCommand.Wake.name, { $0.apps.wakes.wakeApp($1) }),
        (PadCommand.WakeEnded.name, { $0.apps.wakes.wakeEnded($1) }),
        (PadCommand.ListNotifications.name, { $0.notices.local.listNotifications($1) }),
        (PadCommand.GiveNotice.name, { $0.notices.notice($1) }),
        (PadCommand.PressMemory.name, { $0.apps.memory.pressMemory($1) }),
        (PadCommand.BackUp.name, { $0.storage.backups.backUp($1) }),
        (PadCommand.Restore.name, { $0.storage.backups.restore($1) }),
        (PadCommand.SetAirplane.name, { $0.device.setAirplane($1) }),
        (PadCommand.SetPower.name, { $0.device.setPower($1) }),
        (PadCommand.SetWiFi.name, { $0.device.setWiFi($1) }),
        (PadCommand.Interrupt.name, { $0.apps.interrupt($1) }),
        (PadCommand.InterruptEnded.name, { $0.apps.interruptEnded($1) }),
        (PadCommand.Reboot.name, { $0.device.reboot($1) }),
        (PadCommand.PowerCut.name, { $0.device.powerCut($1) }),
        (PadCommand.SetClock.name, { $0.device.setClock($1) }),
        (PadCommand.JumpClock.name, { $0.device.jumpClock($1) }),
        (PadCommand.ChangeIdentity.name, { $0.accounts.changeIdentity($1) }),
        (PadCommand.RevokeIdentity.name, { $0.accounts.revokeIdentity($1) }),
        (PadCommand.Purge.name, { $0.storage.localData.purgeStorage($1) }),
        (PadCommand.FillStorage.name, { $0.storage.fillStorage($1) }),
        (PadCommand.PurgeSignedOut.name, { $0.storage.localData.purgeSignedOut($1) }),
        (PadCommand.PressStorage.name, { $0.storage.localData.pressStorage($1) }),
        (PadCommand.Manage.name, { $0.management.manage($1) }),
        (PadCommand.ListPeople.name, { $0.residents.listPeople($1) }),
        (PadCommand.ListPending.name, { $0.storage.localData.listPending($1) }),
        (PadCommand.Observe.name, { $0.storage.localData.observe($1) }),
    ]
}
