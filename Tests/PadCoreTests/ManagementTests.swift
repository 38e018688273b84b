import FleetModel
import Storage
import Testing

@testable import PadCore

@Suite("Management") struct ManagementTests {
    /// maya has something to send and cannot; leo has not; both are away.
    private func bench() throws -> PadBench {
        let bench = try PadBench()
        for person in ["leo", "maya"] {
            bench.signIn(person)
            bench.open("quiz")
            if person == "maya" {
                bench.cloud.script = {
                    String(decoding: $0.body, as: UTF8.self).contains("maya.1") ? .failure(.unreachable) : nil
                }
                bench.post(
                    bench.launch("quiz"), "kvs.set",
                    ["key": "k", "value": .string(EditPayload.text(token: "maya.1", "hello"))])
            }
            bench.ask("person.signOut")
        }
        bench.advance(.minutes(1))
        return bench
    }
    private func code(_ answer: Value) -> Int64? { answer["ErrorChain"]?.array?.first?["ErrorCode"]?.int }

    @Test("UserList: name, session, data to sync and use of everybody; a quota only where one is set")
    func userList() throws {
        let bench = try bench()
        bench.signIn("leo")
        bench.advance(.minutes(1))
        let answer = bench.manage("UserList")
        #expect(answer["Status"] == "Acknowledged" && answer["CommandUUID"] == "c-1" && answer["UDID"] == "ipad-1")
        let users = answer["Users"]?.array ?? []
        #expect(users.map { $0["UserName"] } == ["leo", "maya"])
        #expect(users.map { $0["IsLoggedIn"] } == [true, false])
        #expect(users.map { $0["HasDataToSync"] } == [false, true])
        #expect(users.allSatisfy { $0["DataUsed"]?.int ?? 0 > 0 && $0["DataQuota"] == nil })
    }

    @Test("DeleteUser: unknown, logged in, with data to sync, and synced")
    func deleteUser() throws {
        let bench = try bench()
        #expect(code(bench.manage("DeleteUser")) == 12008)
        #expect(code(bench.manage("DeleteUser", ["UserName": "eva"])) == 12071)
        #expect(code(bench.manage("DeleteUser", ["UserName": "maya"])) == 12073)
        bench.signIn("leo")
        #expect(code(bench.manage("DeleteUser", ["UserName": "leo", "ForceDeletion": true])) == 12072)
        bench.ask("person.signOut")
        bench.advance(.minutes(1))
        #expect(bench.manage("DeleteUser", ["UserName": "leo"])["Status"] == "Acknowledged")
        #expect(bench.pad.people == ["maya"] && bench.reasons(.purged) == ["deleteUser"])
        #expect(bench.notes(.purged).flatMap(\.tokens).isEmpty)
    }

    @Test("DeleteUser with force: what was not sent goes too, and is named")
    func forced() throws {
        let bench = try bench()
        bench.manage("DeleteUser", ["UserName": "maya", "ForceDeletion": true])
        #expect(bench.pad.people == ["leo"] && bench.reasons(.purged) == ["forceDeletion"])
        #expect(bench.notes(.purged).flatMap(\.tokens) == ["maya.1"])
        #expect(bench.disk(of: "maya")?.files(under: "/").isEmpty == true)
        bench.cloud.script = { _ in nil }
        bench.advance(.minutes(10))
        #expect(bench.cloud.value("k") == nil)
    }

    @Test("DeleteAllUsers: those with data to sync are kept and told, unless forced", arguments: [false, true])
    func deleteAll(isForced: Bool) throws {
        let bench = try bench()
        let answer = bench.manage("DeleteUser", ["DeleteAllUsers": true, "ForceDeletion": .bool(isForced)])
        #expect(code(answer) == (isForced ? nil : 12073))
        #expect(bench.pad.people == (isForced ? [] : ["maya"]))
    }

    @Test("LogOutUser: the session ends without waiting for background tasks; nobody there is no error")
    func logOut() throws {
        let bench = try PadBench()
        #expect(bench.manage("LogOutUser")["Status"] == "Acknowledged")
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        #expect(bench.manage("LogOutUser")["Status"] == "Acknowledged")
        bench.advance(.seconds(1))
        #expect(bench.notes(.signedOut).first?.detail["forced"] == true)
    }

    @Test("EraseDevice: everybody goes with all they had, the settings too; the iPad can be used again")
    func erase() throws {
        let bench = try bench()
        bench.manage("Settings", ["Settings": [["Item": "SharedDeviceConfiguration", "TemporarySessionOnly": true]]])
        #expect(bench.signIn("leo")?["refused"]?.string?.contains("guest sessions only") == true)
        bench.guest("visitor")
        bench.open("quiz")
        #expect(bench.manage("EraseDevice")["Status"] == "Acknowledged")
        #expect(bench.pad.people.isEmpty)
        #expect(bench.reasons(.purged) == ["eraseDevice", "eraseDevice", "eraseDevice"])
        for person in ["leo", "maya", "visitor"] { #expect(bench.disk(of: person)?.files(under: "/").isEmpty == true) }
        #expect(bench.signIn("leo")?["ok"] == true)
        #expect(bench.open("quiz")?["ok"] == true)
        #expect(bench.problems.isEmpty)
    }

    @Test(
        "Apps: removed for everybody with their files; installed again they begin anew, with a new vendor's identifier (S192)"
    )
    func applications() throws {
        let bench = try PadBench(more: ["seed": 9])
        bench.signIn("maya")
        bench.open("quiz")
        func vendor(_ app: AppName) -> Value? { bench.call(bench.launch(app), "app.identifierForVendor") }
        let path: Value = ["path": .string(Pad.home(of: "com.example.quiz") + "/Documents/a")]
        var write = path
        write["data"] = .data([1])
        bench.call(bench.launch("quiz"), "file.write", write)
        let first = vendor("quiz")
        #expect(bench.manage("RemoveApplication", ["Identifier": "com.example.quiz"])["Status"] == "Acknowledged")
        #expect(bench.reasons(.appExited) == ["removed"] && bench.reasons(.purged) == ["appRemoved"])
        #expect(bench.open("quiz")?["refused"] != nil)
        #expect(code(bench.manage("RemoveApplication", ["Identifier": "com.example.quiz"])) == 12024)
        #expect(code(bench.manage("InstallApplication", ["Identifier": "com.example.none"])) == 12024)
        bench.ask("device.reboot")
        try bench.restart()
        bench.signIn("maya")
        #expect(bench.open("quiz")?["refused"] != nil)
        bench.manage("InstallApplication", ["Identifier": "com.example.quiz"])
        #expect(bench.open("quiz")?["ok"] == true)
        #expect(bench.call(bench.launch("quiz"), "file.read", path)?["error"] != nil)
        // Another app of the vendor was there all the time.
        #expect(vendor("quiz") == first && first != nil)
        for app in ["quiz", "notes"] {
            bench.manage("RemoveApplication", ["Identifier": .string("com.example.\(app)")])
        }
        for app in ["quiz", "notes"] {
            bench.manage("InstallApplication", ["Identifier": .string("com.example.\(app)")])
        }
        bench.open("quiz")
        let second = vendor("quiz")
        #expect(second != first && second != nil)
        bench.open("notes")
        #expect(vendor("notes") == second)
        bench.manage("EraseDevice")
        bench.signIn("maya")
        bench.open("quiz")
        #expect(vendor("quiz") != second && vendor("quiz") != first)
    }

    @Test("RemoveApplication while the app is being opened: it is not started, and what it wanted shown goes")
    func removedWhileOpened() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.notifyLocally", ["text": "later", "after": 60_000_000_000])
        bench.open("notes")
        bench.stuck = ["app.didEnterBackground"]
        let opening = bench.command("app.open", ["app": "quiz"])
        bench.manage("RemoveApplication", ["Identifier": "com.example.quiz"])
        bench.advance(.minutes(2))
        #expect(bench.answer(opening)?["refused"] != nil)
        #expect(bench.pad.running("maya", app: "quiz").isEmpty)
        #expect(bench.ask("device.notifications") == ["shown": []])
    }

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
        #expect(bench.pad.state.configuration.passcodeLockGracePeriod == 60)
        try bench.restart()
        let queries: Value = ["Queries": ["AppAnalyticsEnabled", "DiagnosticSubmissionEnabled"]]
        #expect(
            bench.manage("DeviceInformation", queries)["QueryResponses"]
                == ["AppAnalyticsEnabled": true, "DiagnosticSubmissionEnabled": true])
        let new = try PadBench(more: ["awaitDeviceConfigured": true])
        let item: Value = ["Item": "MaximumResidentUsers", "MaximumResidentUsers": 4]
        #expect(new.manage("Settings", ["Settings": [item]])["Settings"]?.array?.first?["Status"] == "Acknowledged")
        #expect(new.pad.state.configuration.residentUsers == 4)
    }

    @Test("Codes: a tethered network, an update while somebody is there, a guest's channel; push tokens and free space")
    func codes() throws {
        let bench = try PadBench()
        func user(_ person: Person) -> Value {
            let command: Value = ["RequestType": "DeviceInformation", "Queries": ["PushToken"]]
            return bench.ask("mdm.command", ["UserShortName": .string(person), "Command": command]) ?? .null
        }
        #expect(code(bench.manage("UserList", ["RequestRequiresNetworkTether": true])) == 12081)
        #expect(code(bench.manage("UserList", ["RequestRequiresNetworkTether": false])) == nil)
        #expect(bench.manage("ScheduleOSUpdate")["UpdateResults"] == [])
        let free = bench.manage("DeviceInformation", ["Queries": ["AvailableDeviceCapacity"]])["QueryResponses"]
        #expect(free?["AvailableDeviceCapacity"] == 38.0)
        bench.guest("visitor")
        #expect(code(bench.manage("ScheduleOSUpdate")) == 12077)
        #expect(code(user("visitor")) == 12076)
        bench.ask("person.signOut")
        bench.signIn("maya")
        let token = user("maya")["QueryResponses"]?["PushToken"]
        #expect(token?.data?.count == 32 && token == user("maya")["QueryResponses"]?["PushToken"])
        bench.ask("person.signOut")
        bench.signIn("leo")
        #expect(user("leo")["QueryResponses"]?["PushToken"] != token)
    }

    @Test("ApplicationConfiguration: whoever opens the app finds it, beside their own settings, until it is taken back")
    func managedApps() throws {
        let bench = try PadBench()
        let key = "com.apple.configuration.managed"
        func configure(_ configuration: Value?) {
            var item: Value = ["Item": "ApplicationConfiguration", "Identifier": "com.example.quiz"]
            item["Configuration"] = configuration
            bench.manage("Settings", ["Settings": [item]])
        }
        configure(["server": "a"])
        bench.ask("device.reboot")
        try bench.restart()
        for person in ["maya", "leo"] {
            bench.signIn(person)
            bench.open("quiz")
            #expect(bench.launches.last?.spec["settings"]?[key] == ["server": "a"], "\(person)")
            bench.ask("person.signOut")
        }
        bench.signIn("maya")
        bench.open("quiz")
        bench.ask("app.home")
        bench.advance(.minutes(1))
        configure(["server": "b"])
        bench.ask("settings.change", ["app": "quiz", "key": "sound", "value": false])
        configure(nil)
        bench.open("quiz")
        let told = bench.messages.last { $0.message["name"] == "NSUserDefaultsDidChange" }?.message["values"]
        #expect(told?["sound"] == false && told?[key] == .null)
        bench.open("notes")
        #expect(bench.launches.last?.spec["settings"] == nil)
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

@Suite("Guests") struct GuestTests {
    @Test("Guest: no account, nothing of iCloud leaves, own volume; all of it is gone at the end")
    func guest() throws {
        let bench = try PadBench()
        #expect(bench.guest("visitor")?["ok"] == true)
        #expect(bench.notes(.signedIn).first?.detail["guest"] == true)
        bench.open("quiz")
        #expect(bench.call(bench.launch("quiz"), "identity.get") == ["identity": .null, "accountStatus": 3])
        bench.post(
            bench.launch("quiz"), "kvs.set",
            ["key": "k", "value": .string(EditPayload.text(token: "visitor.1", "hello"))])
        bench.advance(.minutes(5))
        #expect(bench.cloud.requests.isEmpty)
        bench.ask("person.signOut")
        #expect(bench.pad.people.isEmpty && bench.reasons(.purged) == ["temporarySession"])
        #expect(bench.notes(.purged).flatMap(\.tokens) == ["visitor.1"])
        #expect(bench.disk(of: "visitor")?.files(under: "/").isEmpty == true)
        #expect(bench.marks.contains("guest-session-ended") && !bench.marks.contains("user-switch-with-pending"))
    }

    /// A guest with quiz on the screen.
    private func visitor() throws -> PadBench {
        let bench = try PadBench(entitlements: [
            "quiz": [
                "com.apple.developer.icloud-container-identifiers": ["iCloud.com.example.quiz"],
                "com.apple.developer.icloud-services": ["CloudKit"],
            ]
        ])
        bench.guest("visitor")
        bench.open("quiz")
        return bench
    }
    private func read(_ database: String, _ bench: PadBench) {
        bench.post(
            bench.launch("quiz"), "ck.lookup",
            [
                "container": "iCloud.com.example.quiz", "database": .string(database), "op": .string(database),
                "zone": "_defaultZone", "names": ["poster"],
            ], exchange: 70)
        bench.command("pad.people")
        bench.advance(.seconds(1))
    }

    @Test(
        "Guest: the public database is read in nobody's name, the private one is not; the network is there (S106, S223)"
    )
    func publicDatabase() throws {
        let bench = try visitor()
        bench.cloud.script = {
            $0.target.contains("/public/records/lookup")
                ? .response(HTTPResponse(status: 200, json: ["records": []])) : nil
        }
        read("private", bench)
        #expect(bench.cloud.requests.isEmpty && bench.lastMessage("ck.lookup")?["error"]?["code"] == 9)
        read("public", bench)
        let sent = try #require(bench.cloud.requests.first?.request)
        #expect(sent.headers["X-Homeroom-Account"] == "none" && sent.headers["Authorization"] == nil)
        #expect(bench.messages.last?.message["records"]?.array?.isEmpty == true)
        #expect(bench.call(bench.launch("quiz"), "app.watchNetwork") == ["satisfied": true])
    }

    @Test(
        "Guest: requests and background uploads go out without an account; a refusal is theirs; unsent ones end with the session"
    )
    func transfers() throws {
        let bench = try visitor()
        let quiz = bench.launch("quiz")
        bench.post(
            quiz, "http.send", ["method": "GET", "url": "https://backend.quiz/menu", "headers": .empty], exchange: 71)
        bench.advance(.seconds(1))
        #expect(bench.messages.last?.message["status"] == 401, "the backend's answer, no renewal of what is not there")
        #expect(bench.cloud.requests.map(\.request.target) == ["/upload/v1/quiz/menu"])
        #expect(bench.cloud.requests.first?.request.headers["Authorization"] == nil)
        let file = Pad.home(of: "com.example.quiz") + "/tmp/page"
        bench.call(
            quiz, "file.write",
            ["path": .string(file), "data": .data(Array(EditPayload.text(token: "visitor.1", "x").utf8))])
        bench.isOnline = false
        bench.call(
            quiz, "transfer.upload",
            [
                "session": "s", "path": .string(file), "method": "PUT", "url": "https://backend.quiz/page",
                "headers": .empty,
            ])
        bench.advance(.seconds(5))
        bench.ask("person.signOut")
        bench.isOnline = true
        bench.advance(.hours(2))
        #expect(bench.cloud.requests.count == 1 && bench.pad.people.isEmpty)
        #expect(bench.disk(of: "visitor")?.files(under: "/").isEmpty == true)
    }

    @Test("Guest: the power cut ends the session too")
    func powerCut() throws {
        let bench = try PadBench()
        bench.guest("visitor")
        bench.ask("device.powerCut", ["seed": 3])
        try bench.restart()
        #expect(bench.pad.people.isEmpty && bench.disk(of: "visitor")?.files(under: "/").isEmpty == true)
    }

    @Test("Guest: the name of somebody with an account on the iPad is refused")
    func name() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.ask("person.signOut")
        #expect(bench.guest("maya")?["refused"] != nil)
        #expect(bench.signIn("maya")?["ok"] == true)
    }

    @Test("Session timeouts: of guests and of people, counted from the last thing done", arguments: [true, false])
    func timeout(isGuest: Bool) throws {
        let bench = try PadBench(configuration: [
            isGuest ? "TemporarySessionTimeout" : "UserSessionTimeout": 60
        ])
        if isGuest { bench.guest("visitor") } else { bench.signIn("visitor") }
        bench.advance(.seconds(50))
        bench.open("quiz")
        bench.advance(.seconds(50))
        #expect(bench.notes(.signedOut).isEmpty)
        bench.advance(.seconds(15))
        #expect(bench.notes(.signedOut).count == 1 && bench.marks.contains("session-timed-out"))
        // The other kind of session has no limit.
        if isGuest { bench.signIn("visitor") } else { bench.guest("other") }
        bench.advance(.minutes(10))
        #expect(bench.notes(.signedOut).count == 1)
    }

    @Test("Grace period: a cached person is asked for online each time (0) or after days; without a network refused")
    func grace() throws {
        for (days, pause, isAsked) in [(0, Span.minutes(1), true), (2, .hours(47), false), (2, .hours(49), true)] {
            let bench = try PadBench(configuration: ["OnlineAuthenticationGracePeriod": .int(days)])
            bench.signIn("maya")
            bench.ask("person.signOut")
            bench.advance(pause)
            bench.isOnline = false
            #expect((bench.signIn("maya")?["refused"] != nil) == isAsked)
            bench.ask("person.signOut")
            bench.isOnline = true
            #expect(bench.signIn("maya")?["ok"] == true)
            #expect(bench.notes(.signedIn).allSatisfy { $0.detail["first"] == true } == false)
            #expect(bench.pad.people == ["maya"])
        }
    }
}
