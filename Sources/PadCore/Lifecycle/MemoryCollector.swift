import FleetModel

/// Memory that the system wants back, and who still waits for it.
struct MemoryPressure {
    /// Bytes that are still missing.
    var missing: Int64
    var command: Command
    /// What warned apps held when they were warned.
    var warned: [Int: Int64] = [:]
}

/// Who has to go when memory is short (app-lifecycle.md 11).
final class MemoryCollector: PadService {
    let kernel: Kernel
    /// Memory that the system wants back.
    private var pressure: MemoryPressure?
    /// Bytes of memory that each launch last said it holds.
    private var footprints: [Int: Int64] = [:]
    /// ASSUMED: what an app holds that never said how much.
    static let ordinaryFootprint: Int64 = 100_000_000

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// ASSUMED: how long warned apps have to give memory back.
    private static let patience = Span.seconds(2)
    /// No app holds more, whatever it says.
    static let memoryMost: Int64 = 1_000_000_000_000

    /// `device.memoryPressure {bytes}`: suspended apps go first and unheard, the biggest first; then those that run are warned, and who
    /// has not given enough back by then is killed (S157, S189, S208).
    func pressMemory(_ command: Command) {
        let bytes = command.asked(PadCommand.PressMemory.self).bytes
        guard (1...Self.memoryMost).contains(bytes) else {
            return refuse(command, "'bytes' is missing, or is not from 1 to 1 TB: how much memory is wanted")
        }
        guard pressure == nil else { return refuse(command, "memory is already being collected") }
        var pressure = MemoryPressure(missing: bytes, command: command)
        while pressure.missing > 0, let launch = pad.apps.victim(nil), let run = pad.apps.runs[launch],
            run.process == .suspended
        {
            pressure.missing -= footprint(of: launch)
            pad.apps.end(launch, reason: .memory)
        }
        guard pressure.missing > 0, !pad.apps.runs.isEmpty else { return done(command) }
        for launch in pad.apps.runs.keys.sorted() where pad.apps.runs[launch]?.takesEvents == true {
            pressure.warned[launch] = footprint(of: launch)
        }
        self.pressure = pressure
        kernel.timers.set(.memoryPressure, at: now + kernel.spec.real(Self.patience))
        for launch in pressure.warned.keys.sorted() {
            pad.apps.giveEvent(AppMessages.MemoryWarning().message, to: launch)
        }
    }

    /// A warned app has returned from its handler and said what it still holds.
    func memoryGivenBack(_ launch: Int) {
        guard let before = pressure?.warned[launch], pad.apps.runs[launch] != nil else { return }
        let after = footprint(of: launch)
        pressure?.warned[launch] = after
        pressure?.missing -= before - after
        if let pressure, pressure.missing <= 0 { endPressure(pressure) }
    }

    /// The time is over: the background goes before the screen, the biggest first (S153, S189).
    func memoryStillShort() {
        guard var pressure else { return }
        // Who died meanwhile gave all of it back.
        for (launch, bytes) in pressure.warned where pad.apps.runs[launch] == nil { pressure.missing -= bytes }
        while pressure.missing > 0, let launch = pad.apps.victim(nil) {
            pressure.missing -= footprint(of: launch)
            pad.apps.end(launch, reason: .memory)
        }
        endPressure(pressure)
    }
    func footprint(of launch: Int) -> Int64 { footprints[launch] ?? Self.ordinaryFootprint }
    func holds(_ bytes: Int64, _ launch: Int) { footprints[launch] = min(max(0, bytes), Self.memoryMost) }

    func ends(_ ending: Ending) {
        if case .launch(let launch) = ending { footprints[launch] = nil }
        guard let pressure else { return }
        switch ending {
        case .loginScreen: endPressure(pressure)
        case .life(let reason):
            self.pressure = nil
            refuse(pressure.command, reason)
        case .launch, .session, .account: break
        }
    }
    private func endPressure(_ pressure: MemoryPressure) {
        self.pressure = nil
        kernel.timers.cancel(.memoryPressure)
        done(pressure.command)
    }
}
