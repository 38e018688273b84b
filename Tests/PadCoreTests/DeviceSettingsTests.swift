import FleetModel
import Testing

@testable import PadCore

@Suite("Device settings", .timeLimit(.minutes(20))) struct DeviceSettingsTests {
    @Test("Errors: a command without a type, an unknown type, settings that are none")
    func errors() throws {
        let bench = try PadBench()
        #expect(code(bench.ask("mdm.command") ?? .null) == 12008)
        #expect(code(bench.manage("PlayLostModeSound")) == 12021)
        #expect(code(bench.manage("Settings")) == 12008)
        let items: Value = [
            ["Item": "Wallpaper"], ["Item": "SharedDeviceConfiguration", "QuotaSize": "much"],
            ["Item": "SharedDeviceConfiguration", "Colour": "red"],
            ["Item": "SharedDeviceConfiguration", "UserSessionTimeout": 5],
        ]
        let answers = bench.manage("Settings", ["Settings": items])["Settings"]?.array ?? []
        #expect(answers.map(code) == [28000, 12008, 12008, nil])
        let queries: Value = ["Queries": ["UserSessionTimeout", "QuotaSize", "ResidentUsers", "Colour"]]
        #expect(
            bench.manage("DeviceInformation", queries)["QueryResponses"]
                == ["UserSessionTimeout": 30, "ResidentUsers": 0])
    }

    @Test("Settings and DeviceInformation: each item's answer, and what is told of it afterwards (9.1, 9.2)")
    func table() throws {
        let bench = try PadBench()
        let table: [(item: Value, code: Int64?, query: String, told: Value?)] = [
            (["Item": "AppAnalytics", "Enabled": false], nil, "AppAnalyticsEnabled", false),
            (["Item": "DiagnosticSubmission", "Enabled": true], nil, "DiagnosticSubmissionEnabled", true),
            (["Item": "DiagnosticSubmission"], 12008, "DiagnosticSubmissionEnabled", true),
            (["Item": "AppAnalytics", "Enabled": true], nil, "AppAnalyticsEnabled", true),
            (["Item": "MaximumResidentUsers", "MaximumResidentUsers": 4], 12008, "MaximumResidentUsers", 32),
            (["Item": "PasscodeLockGracePeriod"], 12008, "IsCloudBackupEnabled", false),
            (["Item": "PasscodeLockGracePeriod", "PasscodeLockGracePeriod": 299], nil, "LastCloudBackupDate", nil),
            (["Item": "SharedDeviceConfiguration", "TemporarySessionOnly": true], nil, "TemporarySessionOnly", true),
            (["Item": "PasscodeLockGracePeriod", "PasscodeLockGracePeriod": 900], 5015, "PushToken", nil),
            (["Item": "ApplicationConfiguration", "Identifier": "com.example.none"], 12008, "UDID", "ipad-1"),
            (["Item": "Wallpaper"], 28000, "iTunesStoreAccountIsActive", false),
        ]
        for row in table {
            let answer = bench.manage("Settings", ["Settings": [row.item]])
            #expect(code(answer["Settings"]?.array?.first ?? .null) == row.code, "\(row.item)")
            let told = bench.manage("DeviceInformation", ["Queries": [.string(row.query)]])["QueryResponses"]
            #expect(told?[row.query] == row.told, "\(row.query)")
        }
        #expect(bench.pad.kernel.state.management.configuration.passcodeLockGracePeriod == 60)
        try bench.restart()
        let queries: Value = ["Queries": ["AppAnalyticsEnabled", "DiagnosticSubmissionEnabled"]]
        #expect(
            bench.manage("DeviceInformation", queries)["QueryResponses"]
                == ["AppAnalyticsEnabled": true, "DiagnosticSubmissionEnabled": true])
        let new = try PadBench(more: ["awaitDeviceConfigured": true])
        let item: Value = ["Item": "MaximumResidentUsers", "MaximumResidentUsers": 4]
        #expect(new.manage("Settings", ["Settings": [item]])["Settings"]?.array?.first?["Status"] == "Acknowledged")
        #expect(new.pad.kernel.state.management.configuration.residentUsers == 4)
    }

    @Test(
        "Room: quota and number of people by capacity and settings, as Apple's examples have it",
        arguments: [
            (32, ["ResidentUsers": 4], 4, 3500), (64, ["ResidentUsers": 4], 4, 9500), (64, [:], 3, nil),
            (32, ["QuotaSize": 100], 14, 1000), (64, ["QuotaSize": 100], 19, 2000),
            (64, ["QuotaSize": 10_000], 3, 10_000), (32, ["ResidentUsers": 40], 14, 1000),
            (1024, ["ResidentUsers": 40], 32, 31_187), (64, ["QuotaSize": 100_000], 1, 100_000),
        ] as [(Int, [String: Int], Int, Int?)])
    func room(capacity: Int, settings: [String: Int], slots: Int, quota: Int?) throws {
        var configuration = SharedDeviceConfiguration()
        for (key, number) in settings { try configuration.take([key: .int(number)]) }
        let room = Room(capacity: capacity, standard: 3, configuration)
        #expect(room.slots == slots && room.quota == quota)
    }

    @Test("Number of people: a new setting holds once nobody is cached; the quota refuses what does not fit")
    func quota() throws {
        let bench = try PadBench(capacity: 32)
        bench.signIn("leo")
        bench.ask("person.signOut")
        bench.advance(.minutes(1))
        let item: Value = ["Item": "SharedDeviceConfiguration", "ResidentUsers": 7]
        bench.manage("Settings", ["Settings": [item]])
        #expect(bench.manage("UserList")["Users"]?.array?.first?["DataQuota"] == nil)
        bench.manage("DeleteUser", ["DeleteAllUsers": true])
        try bench.restart()
        bench.signIn("maya")
        #expect(bench.manage("UserList")["Users"]?.array?.first?["DataQuota"] == 2_000_000_000)
        #expect(bench.disk(of: "maya")?.capacityBytes == 2_000_000_000)
    }
}
