import FleetModel
import Testing

@testable import PadCore

@Suite("Lock", .timeLimit(.minutes(20))) struct LockTests {
    private func signedIn(_ configuration: Value = .empty) throws -> PadBench {
        let bench = try PadBench(configuration: configuration)
        bench.signIn("maya")
        bench.open("quiz")
        return bench
    }
    @discardableResult private func set(_ bench: PadBench, _ policy: Value) -> Value {
        let item: Value = ["Item": "SharedDeviceConfiguration", "PasscodePolicy": policy]
        return bench.manage("Settings", ["Settings": [item]])["Settings"]?.array?.first ?? .null
    }
    /// Locks and tells after how many seconds files of class complete are shut; nil: not within ten minutes.
    private func sealing(_ bench: PadBench) -> Int? {
        bench.ask("device.lock")
        for second in 1...600 {
            bench.advance(.seconds(1))
            if !bench.pad.protection.isProtectedDataAvailable { return second }
        }
        return nil
    }

    @Test("Locked: nothing can be opened; unlocked, the app that was shown comes back")
    func lock() throws {
        let bench = try signedIn()
        bench.ask("device.lock")
        #expect(bench.open("notes")?["refused"] != nil && bench.marks.contains("locked"))
        _ = bench.takeTold()
        #expect(bench.ask("device.unlock")?["ok"]?.bool == true)
        #expect(bench.takeTold() == ["quiz willEnterForeground", "quiz didBecomeActive"])
    }

    @Test(
        "Locked, then the session ends: nobody who comes next finds a lock",
        arguments: ["person.signOut", "LogOutUser", "EraseDevice"])
    func endOfSession(by trigger: String) throws {
        let bench = try signedIn()
        #expect(bench.manage("DeviceLock")["Status"] == "Acknowledged")
        #expect(bench.open("notes")?["refused"] != nil)
        bench.advance(.seconds(20))
        if trigger == "person.signOut" { bench.ask(trigger) } else { bench.manage(trigger) }
        bench.advance(.seconds(10))
        // With nobody signed in nobody's keys are there.
        #expect(!bench.pad.protection.isProtectedDataAvailable && !bench.pad.protection.hasUnlocked("maya"))
        bench.signIn("leo")
        #expect(bench.pad.protection.hasUnlocked("leo") && !bench.pad.protection.hasUnlocked("maya"))
        #expect(bench.open("notes")?["ok"]?.bool == true && bench.pad.protection.isProtectedDataAvailable)
    }

    @Test("Keychain while locked: sealed with complete protection, a moment after the lock, and open again after it")
    func keychain() throws {
        let bench = try signedIn()
        #expect(!(try PadBench()).pad.protection.isProtectedDataAvailable)
        let launch = bench.launch("quiz")
        let item: Value = ["service": "s", "account": "a", "data": .data([1])]
        #expect(bench.call(launch, "keychain.add", item)?["status"] == 0)
        #expect(sealing(bench) != nil)
        #expect(bench.call(launch, "keychain.copy", item)?["status"] == -25308)
        bench.ask("device.unlock")
        #expect(bench.call(launch, "keychain.copy", item)?["status"] == 0)
    }

    @Test("Signing in at one's own locked iPad unlocks it; somebody else is turned away")
    func passcode() throws {
        let bench = try signedIn()
        bench.ask("device.lock")
        #expect(bench.signIn("leo")?["refused"] != nil && bench.pad.protection.isLocked)
        #expect(bench.signIn("maya")?["ok"] == true && !bench.pad.protection.isLocked)
        #expect(bench.open("notes")?["ok"] == true)
    }

    @Test("DeviceLock: as the sleep button; at the login screen nothing happens and it is no error")
    func deviceLock() throws {
        let bench = try PadBench()
        #expect(bench.manage("DeviceLock")["Status"] == "Acknowledged")
        bench.signIn("maya")
        bench.open("quiz")
        _ = bench.takeTold()
        bench.manage("DeviceLock")
        #expect(bench.takeTold() == ["quiz willResignActive", "quiz didEnterBackground"])
    }

    @Test("Auto-lock: that long after the last deed, at least 120 s; never when nothing is set; a lock ends no session")
    func autoLock() throws {
        let bench = try signedIn(["PasscodePolicy": ["AutoLockTime": 30]])
        bench.advance(.seconds(100))
        bench.ask("app.read", ["app": "quiz"])
        bench.advance(.seconds(119))
        #expect(!bench.pad.protection.isLocked)
        bench.advance(.seconds(2))
        #expect(bench.pad.protection.isLocked && bench.notes(.signedOut).isEmpty)
        bench.ask("device.unlock")
        #expect(!bench.pad.protection.isLocked)
        bench.advance(.seconds(121))
        #expect(bench.pad.protection.isLocked)
        let other = try signedIn()
        other.advance(.hours(3))
        #expect(!other.pad.protection.isLocked)
    }

    @Test("Grace: files are shut that much later, rounded down; a longer one from the next sign-in, a shorter at once")
    func grace() throws {
        let bench = try signedIn(["PasscodePolicy": ["PasscodeLockGracePeriod": 299]])
        #expect(sealing(bench) == 70)
        bench.ask("device.unlock")
        set(bench, ["PasscodeLockGracePeriod": 300])
        #expect(sealing(bench) == 70)
        bench.ask("person.signOut")
        bench.signIn("maya")
        #expect(sealing(bench) == 310)
        bench.ask("device.unlock")
        set(bench, ["PasscodeLockGracePeriod": 0])
        #expect(sealing(bench) == 10)
    }

    @Test("A guest has no passcode: locked like anybody, nothing is shut")
    func guest() throws {
        let bench = try PadBench()
        bench.guest("visitor")
        bench.open("quiz")
        #expect(sealing(bench) == nil && bench.pad.protection.isLocked)
        _ = bench.takeTold()
        bench.ask("device.unlock")
        #expect(bench.takeTold() == ["quiz willEnterForeground", "quiz didBecomeActive"])
    }

    @Test("PasscodePolicy: kept over a restart; what it does not know is an error")
    func policy() throws {
        let bench = try signedIn(["PasscodePolicy": ["AutoLockTime": 240, "PasscodeLockGracePeriod": 60]])
        #expect(set(bench, ["Colour": "red"])["Status"] == "Error")
        #expect(set(bench, "never")["Status"] == "Error")
        bench.ask("device.reboot")
        try bench.restart()
        bench.signIn("maya")
        bench.advance(.seconds(241))
        #expect(
            bench.pad.protection.isLocked
                && bench.pad.kernel.state.management.configuration.passcodeLockGracePeriod == 60)
    }

    @Test(
        "Suspended in the middle of a coordinated write: killed, so that others may go on (S158)",
        arguments: [true, false])
    func sharedResource(isHeld: Bool) throws {
        let bench = try signedIn()
        let launch = bench.launch("quiz")
        let folder = bench.call(launch, "docs.container", ["identifier": .null])?["path"]?.string ?? ""
        let page: Value = ["path": .string(folder + "/Documents/page")]
        #expect(bench.call(launch, "docs.beginWrite", page) == .empty)
        if !isHeld { bench.call(launch, "docs.endWrite", page) }
        bench.ask("app.home")
        bench.advance(.seconds(3))
        #expect(bench.reasons(.appExited) == (isHeld ? ["watchdog"] : []))
        #expect(bench.notes(.appSuspended).count == (isHeld ? 0 : 1))
        bench.open("notes")
        bench.call(bench.launch("notes"), "docs.container", ["identifier": .null])
        #expect(bench.problems.isEmpty)
    }
}
