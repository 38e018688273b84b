import CInterpose
import CloudCore
import DeterministicRuntime
import FleetModel
import Live
import PadApp
import PadCore
import ProgramApps
import Run
import SandboxSQLite
import Storage
import Workload
import World

/// Makes the participants of a run: the only place where World, cores and apps meet.
final class Wiring {
    private let catalogue: Catalogue
    private let seed: UInt64
    /// Where real files go; nil: all disks are in memory and live as long as this object.
    private let diskRoot: String?
    /// Longest wait for a line of a program; nil: none.
    private let lineLimitMilliseconds: Int32?
    private var disks: [String: Disk] = [:]

    /// - Parameter limitMilliseconds: of a step, where it has one. A program has a little less, so that it is the program that is named.
    init(catalogue: Catalogue, seed: UInt64, diskRoot: String?, limitMilliseconds: Int32? = nil) {
        self.catalogue = catalogue
        self.seed = seed
        self.diskRoot = diskRoot
        lineLimitMilliseconds = limitMilliseconds.map { $0 / 5 * 4 }
    }

    /// Called once in a process before any participant exists: library entropy must not draw from an app's stream.
    static func prepareProcess() {
        AppLoop.claimProcess()
        shareProcess()
    }
    /// As `prepareProcess`, for a process with other work, whose jobs outside of every loop go where they always went.
    static func shareProcess() {
        installDeterministicExecutors()
        seedLibraries()
        SandboxSQLite.install()
    }

    func make(_ id: ParticipantID, spec: Value) throws -> any Participant {
        switch id {
        case .people:
            return People(
                plan: (spec["plan"]?.array ?? []).compactMap(PlanStep.init), timeScale: spec["timeScale"]?.double ?? 1,
                shard: spec["shard"]?.string.flatMap { Shard($0) } ?? .whole, isOpen: spec["isOpen"]?.bool ?? false)
        case .cloud:
            return Guarded(try Cloud(spec: spec, disk: disk("cloud")), id: id, seed: seed)
        case .pad:
            return Guarded(try Pad(spec: spec, disk: { try self.disk("\(id)/\($0)") }), id: id, seed: seed)
        case .app:
            let name = spec["app"]?.string ?? ""
            if let program = catalogue.programs[name] {
                return ProgramParticipant(
                    id: id, program: program, spec: spec, limitMilliseconds: lineLimitMilliseconds)
            }
            guard let make = catalogue.makers[name] else {
                throw RunEnd.harness("the app '\(name)' is not part of this executable")
            }
            return AppParticipant(id: id, make: make, spec: spec)
        }
    }

    /// A disk outlives the participant that uses it: a rebooted Pad finds its own again. What the ended process had not synced is in the
    /// hands of the machine by then, as with real files.
    private func disk(_ name: String) throws -> Disk {
        if let present = disks[name] {
            present.processEnded()
            return present
        }
        if diskRoot != nil { Disk.onMachineFailure = { LastWords.machineFailed($0) } }
        let made = try diskRoot.map { try Disk.directory("\($0)/\(name)") } ?? Disk.memory()
        disks[name] = made
        return made
    }
}
