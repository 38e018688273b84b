import Testing

@testable import CloudKit

@Suite("CKSyncEngine: what it knows, and when it acts", .timeLimit(.minutes(20))) struct SyncStateTests {
    private static let notes = CKRecordZone.ID(zoneName: "Notes")
    private static let other = CKRecordZone.ID(zoneName: "Other")
    private static func id(_ name: String, _ zone: CKRecordZone.ID = notes) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: zone)
    }
    private static func save(_ name: String) -> CKSyncEngine.PendingRecordZoneChange { .saveRecord(id(name)) }
    private static func delete(_ name: String) -> CKSyncEngine.PendingRecordZoneChange { .deleteRecord(id(name)) }

    @Test("Pending changes: each once, in their order; of a save and a deletion of one record the later one")
    func folding() {
        var state = SyncState()
        state.add([Self.save("a"), Self.save("b"), Self.save("a")])
        #expect(state.recordChanges == [Self.save("a"), Self.save("b")])
        state.add([Self.delete("a")])
        #expect(state.recordChanges == [Self.save("b"), Self.delete("a")])
        state.add([Self.save("a"), .saveRecord(Self.id("a", Self.other))])
        #expect(state.recordChanges == [Self.save("b"), Self.save("a"), .saveRecord(Self.id("a", Self.other))])
        state.remove([Self.delete("b"), Self.save("a")])
        #expect(state.recordChanges == [Self.save("b"), .saveRecord(Self.id("a", Self.other))])

        let zone = CKRecordZone(zoneID: Self.notes)
        state.add([.saveZone(zone), .saveZone(CKRecordZone(zoneID: Self.notes)), .deleteZone(Self.other)])
        #expect(state.databaseChanges == [.saveZone(zone), .deleteZone(Self.other)])
        state.add([.deleteZone(Self.notes)])
        #expect(state.databaseChanges == [.deleteZone(Self.other), .deleteZone(Self.notes)])
        state.remove([.deleteZone(Self.other), .deleteZone(Self.notes)])
        #expect(state.databaseChanges.isEmpty && state.hasPendingChanges)
    }

    @Test("Sending: pending until the answer; what was changed meanwhile stays")
    func sending() {
        var state = SyncState()
        state.add([Self.save("a"), Self.save("b"), Self.save("c")])
        state.begin([Self.id("a"), Self.id("b")])
        #expect(state.recordChanges.count == 3)
        state.add([Self.save("a")])
        state.add([Self.delete("b")])
        state.settle([Self.save("a"), Self.save("b")])
        #expect(state.recordChanges == [Self.save("a"), Self.save("c"), Self.delete("b")])
        state.begin([Self.id("a")])
        state.settle([Self.save("a")])
        #expect(state.recordChanges == [Self.save("c"), Self.delete("b")])
    }

    @Test("Fetching: zones in the order in which they changed, positions, and what is gone is forgotten")
    func fetching() {
        var state = SyncState()
        state.learn(changed: [Self.other, Self.notes, Self.other], deleted: [])
        #expect(state.unfetched == [Self.other, Self.notes])
        state.advance(Self.other, to: "k1", moreComing: true)
        #expect(state.unfetched == [Self.other, Self.notes] && state.zoneTokens[Self.other] == "k1")
        state.advance(Self.other, to: "k2", moreComing: false)
        #expect(state.unfetched == [Self.notes])
        state.restart(Self.other)
        #expect(state.zoneTokens.isEmpty)
        state.learn(changed: [], deleted: [Self.notes])
        #expect(state.unfetched.isEmpty)
        let zones = [Self.notes, Self.other]
        #expect(
            CKSyncEngine.order(zones, [Self.other, CKRecordZone.ID(zoneName: "None")]) == [Self.other, Self.notes])
    }

    @Test("The account: signing in keeps what waits; signing out and switching forget it, unsent changes too")
    func account() {
        var state = SyncState()
        state.add([Self.save("a")])
        #expect(state.learn(user: nil) == nil)
        #expect(state.learn(user: "_maya") == .signIn("_maya") && state.recordChanges == [Self.save("a")])
        state.databaseToken = "k"
        #expect(state.learn(user: "_maya") == nil && state.databaseToken == "k")
        #expect(state.learn(user: "_omar") == .switchAccounts(from: "_maya", to: "_omar"))
        #expect(state.recordChanges.isEmpty && state.databaseToken == nil && state.user == "_omar")
        state.add([Self.save("b")])
        #expect(state.learn(user: nil) == .signOut("_omar") && state == SyncState())
    }

    @Test("Written and read back it is the same; what is on its way is pending; damage is left out")
    func stored() {
        var state = SyncState()
        state.add([Self.save("a"), Self.delete("b")])
        state.add([.saveZone(CKRecordZone(zoneID: Self.notes)), .deleteZone(Self.other)])
        state.learn(changed: [Self.notes], deleted: [])
        state.advance(Self.other, to: "k1", moreComing: false)
        (state.databaseToken, state.hasUntrackedChanges, state.hasSubscription) = ("k", true, true)
        _ = state.learn(user: "_maya")
        #expect(SyncState(state.value) == state)
        state.begin([Self.id("a")])
        #expect(SyncState(state.value).recordChanges == state.recordChanges)
        #expect(
            SyncState(["records": [["save", 3], [], "x"], "zones": [[["Notes"], "k"]], "token": 4]) == SyncState())
    }

    @Test("Schedule: a fetch at once, sends of a moment together, one timer; pauses grow, and the server's word counts")
    func schedule() throws {
        var schedule = SyncSchedule()
        let first = try Self.started(schedule.want(.send))
        #expect(first.pause == SyncSchedule.gathering && schedule.want(.send) == nil)
        #expect(schedule.want(.fetch) == nil && schedule.take(first) == [.send, .fetch] && schedule.take(first) == [])
        let second = try Self.started(schedule.want(.fetch))
        #expect(second.pause == .zero && schedule.take(second) == .fetch)
        var pauses: [Duration] = []
        for _ in 0..<8 {
            let timer = try Self.started(schedule.failed(.send, Self.offline))
            pauses.append(timer.pause)
            _ = schedule.take(timer)
        }
        #expect(pauses == [2, 4, 8, 16, 32, 60, 60, 60].map { Duration.seconds($0) })
        schedule.succeeded()
        let timer = try Self.started(schedule.failed(.send, Self.busy))
        #expect(timer.pause == .seconds(90) && schedule.wanted == .send)
        schedule.clear()
        #expect(schedule.take(timer) == [])
        for code in [CKError.Code.notAuthenticated, .operationCancelled, .accountTemporarilyUnavailable, .badDatabase] {
            #expect(schedule.failed(.send, CKError(code)) == nil && schedule.wanted.isEmpty, "\(code)")
        }
    }
    private static func started(_ timer: SyncSchedule.Timer?) throws -> SyncSchedule.Timer { try #require(timer) }
    private static let offline = CKError(.networkUnavailable)
    private static let busy = CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: 90.0])

    @Test(
        "Schedule: a change during a failing send waits for the end of the pause; a timer that is out of date takes nothing"
    )
    func stale() throws {
        var schedule = SyncSchedule()
        let first = try Self.started(schedule.want(.send))
        _ = schedule.take(first)
        let meanwhile = try Self.started(schedule.want(.send))
        let pause = try Self.started(schedule.failed(.send, Self.offline))
        #expect(pause.pause == .seconds(2) && schedule.take(meanwhile) == [] && schedule.want(.fetch) == nil)
        #expect(schedule.take(first) == [] && schedule.take(pause) == [.send, .fetch])
    }

    @Test(
        "Schedule: a push ends a pause of the engine's own, and leaves its timer without effect; the server's pause counts"
    )
    func atPush() throws {
        var schedule = SyncSchedule()
        let pause = try Self.started(schedule.failed(.send, Self.offline))
        #expect(schedule.takeAtPush() == [.send, .fetch])
        let next = try Self.started(schedule.want(.send))
        #expect(schedule.take(pause) == [] && schedule.take(next) == .send)
        let named = try Self.started(schedule.failed(.send, Self.busy))
        #expect(schedule.takeAtPush() == [] && schedule.take(named) == [.send, .fetch])
    }

    @Test("Zones of several people under one name are stored in one order")
    func owners() {
        let owners = (0..<9).map { "_\($0)" }
        var state = SyncState()
        for owner in owners.reversed() {
            state.advance(CKRecordZone.ID(zoneName: "Notes", ownerName: owner), to: "k", moreComing: false)
        }
        #expect(state.value["zones"]?.array?.map { $0.array?.first?.array?.last } == owners.map { .string($0) })
    }

    @Test("Errors: which changes stay pending")
    func errors() {
        let kept: [CKError.Code] = [
            .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable, .notAuthenticated,
            .operationCancelled, .requestRateLimited, .accountTemporarilyUnavailable, .serverResponseLost,
        ]
        for code in CKError.Code.allCases {
            #expect(SyncFailure.isRetried(CKError(code)) == kept.contains(code), "\(code)")
        }
        #expect(SyncFailure.isRetried(CKError(.limitExceeded, userInfo: [CKErrorRetryAfterKey: 1.0])))
    }
}
