import FleetModel
import Storage

extension LocalData {
    /// `storage.list`: what Manage Storage shows of the person's iCloud.
    func listStorage(_ command: Command) {
        guard let person = pad.sessions.activePerson else { return refuse(command, "nobody is signed in") }
        let entries = pad.daemons.documents?.storageEntries(of: pad.accounts.account(of: person)) ?? []
        reply(PadCommand.ListStorage.Answer { $0.entries = entries }, to: command)
    }
    /// `storage.delete {path, confirmed}` or `{container, confirmed}`.
    func deleteStorage(_ command: Command) {
        guard let person = pad.sessions.activePerson else { return refuse(command, "nobody is signed in") }
        if let reason = pad.daemons.documents?.deleteFromStorage(
            command.message, of: pad.accounts.account(of: person), pad.daemons)
        {
            return refuse(command, reason)
        }
        done(command)
    }
    /// `storage.pressure {bytes}`: answer `{ok, freed}`.
    func pressStorage(_ command: Command) {
        let bytes = command.asked(PadCommand.PressStorage.self).bytes
        guard bytes > 0 else {
            return refuse(command, "'bytes' is missing: how much space is wanted")
        }
        let freed = pad.daemons.documents?.evictUnused(bytes: bytes, pad.daemons) ?? 0
        if freed > 0 { mark(.documentEvicted) }
        reply(PadCommand.PressStorage.Answer { $0.freed = freed }, to: command)
    }
}
