import FleetModel
import PadApp
import Testing

@testable import CloudKit

/// Engines that sync by themselves, on iPads with the real Pad and Cloud.
@Suite("CKSyncEngine on the iPad", .timeLimit(.minutes(20))) struct SyncEngineOnTheIPadTests {
    /// An app of each iPad, kept between its pieces of code.
    final class Apps: @unchecked Sendable {
        var apps: [Int: SyncedTexts] = [:]
        @MainActor func begin(_ pad: Int) -> SyncedTexts {
            let app = SyncedTexts()
            apps[pad] = app
            _ = app.begin(database, automatically: true)
            return app
        }
    }

    @Test("A text of one iPad comes to the other by its push, one after the other, without a call of the app's")
    func push() throws {
        let school = try School(["maya", "maya"])
        let apps = Apps()
        school.run(on: 1) {
            let app = apps.begin(1)
            app.engine?.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
            try await Task.sleep(for: .seconds(30))
        }
        school.run(on: 2) {
            _ = apps.begin(2)
            try await Task.sleep(for: .seconds(30))
        }
        for number in 1...2 {
            school.run(on: 1) {
                apps.apps[1]?.write("text \(number)", as: "n\(number)")
                try await Task.sleep(for: .seconds(60))
            }
        }
        school.run(on: 2) {
            #expect(apps.apps[2]?.texts == ["n1": "text 1", "n2": "text 2"])
            apps.apps[2]?.write("answer", as: "n1")
            try await Task.sleep(for: .seconds(60))
        }
        school.run(on: 1) { #expect(apps.apps[1]?.texts == ["n1": "answer", "n2": "text 2"]) }
    }

    @Test("Offline: the change waits and goes out when there is a network again")
    func offline() throws {
        let school = try School(["maya"])
        let apps = Apps()
        school.run {
            let app = apps.begin(1)
            app.engine?.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
            try await Task.sleep(for: .seconds(30))
        }
        school.reach = { _ in .connectionLost }
        school.run {
            apps.apps[1]?.write("text", as: "n1")
            try await Task.sleep(for: .seconds(120))
            #expect(apps.apps[1]?.engine?.state.pendingRecordZoneChanges.count == 1)
        }
        school.reach = { _ in nil }
        school.run {
            try await Task.sleep(for: .seconds(120))
            #expect(apps.apps[1]?.engine?.state.pendingRecordZoneChanges.isEmpty == true)
            #expect(try await database.record(for: record("n1").recordID)["text"] == "text")
        }
    }

    @Test("A zone that is gone is reported with its reason", arguments: ["purged", "deleted", "encryptedDataReset"])
    func goneZone(_ word: String) throws {
        let school = try School(["maya"])
        let apps = Apps()
        school.run {
            let app = apps.begin(1)
            app.engine?.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
            app.write("text", as: "n1")
            try await Task.sleep(for: .seconds(60))
            // The server tells only of zones that were there when the app last looked.
            try await app.engine?.fetchChanges()
        }
        #expect(school.tellCloud("cloud.deleteZones", ["account": "maya", "reason": .string(word)])?["ok"] == true)
        school.run {
            try await apps.apps[1]?.engine?.fetchChanges()
            let deletions = apps.apps[1]?.deletions ?? []
            #expect(
                deletions.map { "\($0.zoneID.zoneName) \($0.reason)" } == ["Notes \(word)"],
                "\(apps.apps[1]?.events ?? [])")
        }
    }
}

extension SyncEngineOnTheIPadTests {
    @Test("A change during a failing send does not shorten the pause after it")
    func pause() throws {
        final class Times: @unchecked Sendable { var tries: [Instant] = [] }
        let school = try School(["maya"])
        let (apps, times) = (Apps(), Times())
        school.run {
            apps.begin(1).engine?.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
            try await Task.sleep(for: .seconds(30))
        }
        school.reach = { [unowned school] request in
            guard request.target.contains("records/modify") else { return nil }
            times.tries.append(school.now)
            return .connectionLost
        }
        school.run {
            apps.apps[1]?.write("one", as: "n1")
            apps.apps[1]?.whenSent { apps.apps[1]?.write("two", as: "n2") }
            try await Task.sleep(for: .seconds(20))
        }
        #expect(times.tries.count >= 2)
        #expect(zip(times.tries.dropFirst(), times.tries).allSatisfy { $0 - $1 >= .seconds(2) }, "\(times.tries)")
    }

    @Test("A push whose fetch fails is answered all the same; the fetch is made up for later")
    func failedPush() throws {
        let school = try School(["maya", "maya"])
        let apps = Apps()
        school.run(on: 1) {
            let app = apps.begin(1)
            app.engine?.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
            try await Task.sleep(for: .seconds(30))
        }
        school.run(on: 2) {
            _ = apps.begin(2)
            try await Task.sleep(for: .seconds(30))
        }
        school.reach = { request in request.target.contains("changes") ? .connectionLost : nil }
        school.run(on: 1) {
            apps.apps[1]?.write("text", as: "n1")
            try await Task.sleep(for: .seconds(60))
        }
        school.run(on: 2) { #expect(apps.apps[2]?.texts == [:]) }
        #expect(!school.pushes(2).isEmpty)
        school.reach = { _ in nil }
        school.run(on: 2) {
            try await Task.sleep(for: .seconds(90))
            #expect(apps.apps[2]?.texts == ["n1": "text"])
        }
    }

    @Test("A push waits for its fetch, but not longer than the system waits for the app")
    func limit() throws {
        try School(["maya"]).run {
            for (needed, waited) in [(3.0, 3.0), (100.0, 20.0)] {
                let start = Date()
                await SyncLimit.wait(.seconds(20)) { try? await Task.sleep(for: .seconds(needed)) }
                #expect(abs(Date().timeIntervalSince(start) - waited) < 0.1)
            }
        }
    }
}
