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
extension Pad {
    /// ASSUMED: how long warned apps have to give memory back.
    private static let patience = Span.seconds(2)
    /// No app holds more, whatever it says.
    static let memoryMost: Int64 = 1_000_000_000_000

    /// `device.memoryPressure {bytes}`: suspended apps go first and unheard, the biggest first; then those that run are warned, and who
    /// has not given enough back by then is killed (S157, S189, S208).
    func pressMemory(_ command: Command) {
        guard let bytes = command.message["bytes"]?.int, (1...Self.memoryMost).contains(bytes) else {
            return refuse(command, "'bytes' is missing, or is not from 1 to 1 TB: how much memory is wanted")
        }
        guard pressure == nil else { return refuse(command, "memory is already being collected") }
        var pressure = MemoryPressure(missing: bytes, command: command)
        while pressure.missing > 0, let launch = victim(nil), let run = runs[launch], run.process == .suspended {
            pressure.missing -= run.footprint
            end(launch, reason: "memory")
        }
        guard pressure.missing > 0, !runs.isEmpty else { return done(command) }
        for launch in runs.keys.sorted() where runs[launch]?.takesEvents == true {
            pressure.warned[launch] = runs[launch]?.footprint
        }
        self.pressure = pressure
        timers.set(.memoryPressure, at: now + spec.real(Self.patience))
        for launch in pressure.warned.keys.sorted() { giveEvent(Message("app.memoryWarning"), to: launch) }
    }

    /// A warned app has returned from its handler and said what it still holds.
    func memoryGivenBack(_ launch: Int) {
        guard let before = pressure?.warned[launch], let after = runs[launch]?.footprint else { return }
        pressure?.warned[launch] = after
        pressure?.missing -= before - after
        if let pressure, pressure.missing <= 0 { endPressure(pressure) }
    }

    /// The time is over: the background goes before the screen, the biggest first (S153, S189).
    func memoryStillShort() {
        guard var pressure else { return }
        // Who died meanwhile gave all of it back.
        for (launch, bytes) in pressure.warned where runs[launch] == nil { pressure.missing -= bytes }
        while pressure.missing > 0, let launch = victim(nil), let run = runs[launch] {
            pressure.missing -= run.footprint
            end(launch, reason: "memory")
        }
        endPressure(pressure)
    }
    func endPressure(_ pressure: MemoryPressure) {
        self.pressure = nil
        timers.cancel(.memoryPressure)
        done(pressure.command)
    }
}
