import FleetModel
import Storage

/// One volume a person (shared-ipad.md 2), opened when first needed, and how much fits on it: people share what the system leaves, and each
/// has at most a quota of it (shared-ipad.md 6).
final class DeviceStorage: PadService {
    let kernel: Kernel
    let localData: LocalData
    let files: SandboxFiles
    let backups: Backups
    /// Opens a volume by its name: `system`, `person-maya`. The same name gives the same disk after a restart.
    private let openDisk: (String) throws -> Disk
    private(set) var volumes: [Person: Volume] = [:]

    init(_ kernel: Kernel, openDisk: @escaping (String) throws -> Disk) {
        self.kernel = kernel
        self.openDisk = openDisk
        localData = LocalData(kernel)
        files = SandboxFiles(kernel)
        backups = Backups(kernel)
    }

    /// Bytes that nothing takes; less than none where more was taken before there was a bound.
    var freeBytes: Int {
        pad.residents.room.bytes - kernel.state.device.filledBytes
            - volumes.values.reduce(0) { $0 + ($1.isSecond ? 0 : $1.disk.usedBytes) }
    }

    /// What does not fit is refused as a full disk (unsourced). Set at each step: what one person takes is no more there for another.
    func boundVolumes() {
        let (free, room) = (max(0, freeBytes), pad.residents.room)
        for volume in volumes.values {
            let shared = volume.disk.usedBytes + free
            volume.disk.capacityBytes = room.quota.map { min($0 * 1_000_000, shared) } ?? shared
        }
    }

    /// `storage.fill {bytes}` or `{free}`: so many bytes are taken by something else, or all but so many; 0 bytes: nothing is.
    func fillStorage(_ command: Command) {
        let wish = command.asked(PadCommand.FillStorage.self)
        if let bytes = wish.bytes, bytes >= 0 {
            kernel.state.device.filledBytes = min(bytes, pad.residents.room.bytes)
        } else if let free = wish.free, free >= 0 {
            kernel.state.device.filledBytes = max(
                0, kernel.state.device.filledBytes + freeBytes - min(free, pad.residents.room.bytes))
        } else {
            return refuse(command, "'bytes' or 'free' is missing: how much is taken, or left")
        }
        boundVolumes()
        done(command)
    }

    /// An app hears that nothing more fits (NSFileWriteOutOfSpaceError). What it could not hand over may have its only copy in its
    /// sandbox: its local data stay until it has been in use with space again (ASSUMED, as without iCloud).
    func noteFull(_ answer: Value, _ app: AppIdentity) {
        let isFull =
            if let error = answer.linkError.map(AnsweredError.init(lenient:)) {
                error.code == 640 || error.underlying.map(AnsweredError.init(lenient:))?.code == 640
            } else {
                answer.object.map(KeychainMessages.isFull) ?? false
            }
        guard isFull else { return }
        mark(.diskFull)
        pad.accounts.unsettle(app)
    }
    /// ASSUMED: with less than this an app has to reckon with refusals.
    private static let shortage = 100_000
    var isShortOfSpace: Bool { freeBytes < Self.shortage }

    private static let home = "/var/mobile"

    func volume(of person: Person) -> Volume? {
        if let volume = volumes[person] { return volume }
        if pad.accounts.isSecond(person) { return secondVolume(of: person) }
        guard kernel.state[person] != nil else { return nil }
        do {
            let disk = try openDisk("person-\(person)")
            // Whatever ran here before, another life or a person since evicted, holds no file open any more.
            disk.processEnded()
            disk.now = now
            if disk.status(Self.home) == nil { try disk.makeFolder(Self.home) }
            let volume = Volume(
                person: person, disk: disk, database: try Database(disk: disk, path: Self.home + "/daemons.sqlite"))
            volumes[person] = volume
            return volume
        } catch {
            problem("the volume of \(person) on \(deviceName) does not open: \(error)")
            return nil
        }
    }

    private func secondVolume(of account: Person) -> Volume? {
        guard pad.accounts.accounts.contains(account), let own = volume(of: pad.accounts.holder(of: account)) else {
            return nil
        }
        do {
            let path = Self.home + "/daemons-second.sqlite"
            // An account that has come cannot be sent away because the disk is full.
            let database = try own.disk.withReserve { try Database(disk: own.disk, path: path) }
            let volume = Volume(account: account, on: own, database: database)
            volumes[account] = volume
            return volume
        } catch {
            problem("the queues of \(account) on \(deviceName) do not open: \(error)")
            return nil
        }
    }

    func setDiskClocks() {
        boundVolumes()
        for volume in volumes.values { volume.disk.now = now }
    }

    /// The power is gone: nothing here is open any more.
    func close() { volumes = [:] }

    /// Removes all that lies on a person's volume.
    func wipe(_ person: Person) {
        for account in [SecondAccount.name(of: person), person] {
            volumes[account]?.database.close()
            volumes[account] = nil
        }
        do {
            let disk = try openDisk("person-\(person)")
            for name in try disk.list("/") { try disk.remove("/" + name) }
            disk.flush()
        } catch { problem("the volume of \(person) on \(deviceName) cannot be removed: \(error)") }
    }
}

extension Disk {
    /// Writing down that something has gone needs space too. ASSUMED: the system has a reserve of its own for it.
    func withReserve<T>(_ body: () throws -> T) rethrows -> T {
        let capacity = capacityBytes
        capacityBytes = .max
        defer { capacityBytes = capacity }
        return try body()
    }
}
