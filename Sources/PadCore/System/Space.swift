import FleetModel

/// How much fits on the iPad: people share what the system leaves, and each has at most a quota of it (shared-ipad.md 6).
extension Pad {
    /// Bytes that nothing takes; less than none where more was taken before there was a bound.
    var freeBytes: Int {
        room.bytes - state.filledBytes - volumes.values.reduce(0) { $0 + ($1.isSecond ? 0 : $1.disk.usedBytes) }
    }

    /// What does not fit is refused as a full disk (unsourced). Set anew at each step: what one person takes is no more there for another.
    func boundVolumes() {
        let (free, room) = (max(0, freeBytes), room)
        for volume in volumes.values {
            let shared = volume.disk.usedBytes + free
            volume.disk.capacityBytes = room.quota.map { min($0 * 1_000_000, shared) } ?? shared
        }
    }

    /// `storage.fill {bytes}` or `{free}`: so many bytes are taken by something else, or all but so many; 0 bytes: nothing is.
    func fillStorage(_ command: Command) {
        if let bytes = command.message["bytes"]?.int.flatMap({ Int(exactly: $0) }), bytes >= 0 {
            state.filledBytes = min(bytes, room.bytes)
        } else if let free = command.message["free"]?.int.flatMap({ Int(exactly: $0) }), free >= 0 {
            state.filledBytes = max(0, state.filledBytes + freeBytes - min(free, room.bytes))
        } else {
            return refuse(command, "'bytes' or 'free' is missing: how much is taken, or left")
        }
        boundVolumes()
        done(command)
    }

    /// An app is told that nothing more fits (NSFileWriteOutOfSpaceError). What it could not hand over may have its only copy in its
    /// sandbox: its local data stay until it has been in use with space again (ASSUMED, as without iCloud).
    func noteFull(_ answer: Value, _ app: AppIdentity) {
        let error = answer["error"]
        guard
            error?["code"] == 640 || error?["underlying"]?["code"] == 640
                || answer["status"]?.int == Int64(KeychainStatus.diskFull.rawValue)
        else { return }
        mark("disk-full")
        unsettle(app)
    }
    /// ASSUMED: with less than this an app has to reckon with refusals.
    private static let shortage = 100_000
    var isShortOfSpace: Bool { freeBytes < Self.shortage }
}
