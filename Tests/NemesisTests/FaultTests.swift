import FleetModel
import Testing

@testable import Nemesis

@Suite("Faults on the network")
struct NetworkFaultTests {
    @Test("Loss: certain, only its own direction is lost (probability 1)")
    func loss() throws {
        #expect(try endings(spec("loss-of-request", ["probability": 1])) == [.lost, .arrives, .arrives])
        #expect(try endings(spec("loss-of-response", ["probability": 1])) == [.arrives, .lost, .arrives])
        #expect(try endings(spec("push-lost")) == [.arrives, .arrives, .lost])
        #expect(try endings(spec("loss-of-request", ["probability": 0])) == [.arrives, .arrives, .arrives])
    }

    @Test("Loss: route prefix, other routes arrive")
    func lossByRoute() throws {
        #expect(try endings(spec("loss-of-request", ["probability": 1, "route": "/database/"])).first == .arrives)
        #expect(try endings(spec("loss-of-request", ["probability": 1, "route": "/kvs/"])).first == .lost)
    }

    @Test("Cuts: one way, both ways, refused")
    func cuts() throws {
        #expect(try endings(spec("one-way-cut", ["direction": "up"])) == [.lost, .arrives, .arrives])
        #expect(try endings(spec("one-way-cut", ["direction": "down"])) == [.arrives, .lost, .lost])
        #expect(try endings(spec("partition")) == [.lost, .lost, .lost])
        #expect(try endings(spec("partition", ["answer": "refused"])) == [.refused, .lost, .lost])
    }

    @Test("Selection: another iPad or another time, nothing happens")
    func selection() throws {
        #expect(try endings(spec("partition"), pad: 2) == [.arrives, .arrives, .arrives])
        #expect(try endings(spec("partition", pads: []), pad: 2) == [.lost, .lost, .lost])
        let endings = try [9, 10, 19, 20].map {
            try Storm([spec("partition")], at: at($0)).fate(of: passage(.request)).ending
        }
        #expect(endings == [.arrives, .lost, .lost, .arrives])
    }

    @Test("Hold: kept to the end of the window and a little more")
    func hold() throws {
        let storm = try Storm([spec("hold", ["direction": "down"])])
        #expect(storm.fate(of: passage(.request)).ending == .arrives)
        guard case .held(let until) = storm.fate(of: passage(.response)).ending else {
            Issue.record("not held"); return
        }
        #expect(until > at(20) && until < at(21))
    }

    @Test("Delay: latency adds its extra, jitter stays within its most")
    func delay() throws {
        let plain = try Storm([]).fate(of: passage(.request)).latency
        let late = try Storm([spec("latency", ["extra": "3s"])]).fate(of: passage(.request)).latency
        #expect(late == plain + .seconds(3))
        let storm = try Storm([spec("jitter", ["most": "5s"])])
        let draws = (0..<50).map { storm.fate(of: passage(.request, attempt: $0)).latency }
        #expect(draws.allSatisfy { $0 < .seconds(6) })
        #expect(Set(draws).count == 50)
        #expect(draws.contains { $0 > .seconds(2) })
    }

    @Test("Duplicate: requests and pushes are doubled, responses never")
    func duplicate() throws {
        let storm = try Storm([spec("duplicate", ["probability": 1, "delay": "4s"])])
        let copies = [Passage.Direction.request, .response, .push].map { storm.fate(of: passage($0)).duplicate }
        #expect(copies[1] == nil)
        for copy in [copies[0], copies[2]] { #expect(copy.map { $0 > .zero && $0 <= .seconds(4) } == true) }
    }

    @Test("503: answered with Retry-After and CloudKit's body, by route")
    func unavailable() throws {
        let fault = spec("service-unavailable", ["retryAfter": "1500ms", "route": "/database/"])
        let storm = try Storm([fault])
        #expect(storm.fate(of: passage(.request)).ending == .arrives)
        #expect(storm.fate(of: passage(.response, route: "/database/1/x")).ending == .arrives)
        guard case .answered(let response) = storm.fate(of: passage(.request, route: "/database/1/x")).ending else {
            Issue.record("not answered")
            return
        }
        #expect(response.status == 503 && response.headers["retry-after"] == "2")
        #expect(response.json?["serverErrorCode"] == "TRY_AGAIN_LATER" && response.json?["retryAfter"] == 2)
    }

    @Test("Delay of one direction: latency and jitter leave the other alone")
    func oneDirection() throws {
        for (kind, parameter) in [("latency", "extra"), ("jitter", "most")] {
            for direction in ["up", "down"] {
                let storm = try Storm([spec(kind, [parameter: "9s", "direction": .string(direction)])])
                let late = [Passage.Direction.request, .response, .push].map {
                    storm.fate(of: passage($0)).latency > (try! Storm([])).fate(of: passage($0)).latency
                }
                #expect(late == (direction == "up" ? [true, false, false] : [false, true, true]))
            }
        }
    }

    @Test("Bandwidth: bytes over the narrow line on top of the way; the narrowest place is told")
    func bandwidth() throws {
        let plain = try Storm([]).fate(of: passage(.response, bytes: 3000))
        let narrow = try Storm([spec("bandwidth", ["bytesPerSecond": 1000, "direction": "down"])])
        let late = narrow.fate(of: passage(.response, bytes: 3000))
        #expect(late.latency == plain.latency + .seconds(3) && late.bytesPerSecond == 1000)
        #expect(narrow.fate(of: passage(.request)).bytesPerSecond == plain.bytesPerSecond)
    }

    @Test("Broken connections: reset and truncation, by direction, probability and route")
    func broken() throws {
        #expect(try endings(spec("reset", ["probability": 1])) == [.reset, .reset, .reset])
        #expect(try endings(spec("reset", ["probability": 1, "direction": "up"])) == [.reset, .arrives, .arrives])
        #expect(try endings(spec("reset", ["probability": 1, "route": "/database/"])).first == .arrives)
        let half = Fate.Ending.truncated(afterBytes: 7)
        #expect(try endings(spec("truncation", ["probability": 1, "bytes": 7])) == [.arrives, half, half])
        #expect(try endings(spec("truncation", ["probability": 0, "bytes": 7])) == [.arrives, .arrives, .arrives])
    }

    @Test("Nobody there: a failed name and a failed handshake stop requests, airplane mode too")
    func nobodyThere() throws {
        #expect(try endings(spec("dns-failure")) == [.refused, .arrives, .arrives])
        #expect(try endings(spec("airplane-mode")) == [.refused, .arrives, .arrives])
        #expect(try endings(spec("tls-failure")) == [.handshakeFailed, .arrives, .arrives])
        #expect(try endings(spec("tls-failure"), pad: 2).first == .arrives)
    }

    @Test("Reorder: some messages are late, the others are not (200 messages)")
    func reorder() throws {
        let storm = try Storm([spec("reorder", ["probability": 0.4, "delay": "9s"])])
        let late = (0..<200).count { attempt in
            storm.fate(of: passage(.request, attempt: attempt)).latency
                > (try! Storm([])).fate(of: passage(.request, attempt: attempt)).latency
        }
        #expect((40...120).contains(late))
    }

    @Test("Nth request: one of each iPad, or each nth; a lost response counts responses")
    func nth() throws {
        func run(_ parameters: Value, _ direction: Passage.Direction = .request, pads: [Int]) throws -> [Fate.Ending] {
            var nemesis = try Nemesis(
                specs: [spec("nth-request", pads: [], parameters)], pads: [1, 2], stormEnd: at(100))
            nemesis.begin(0)
            return pads.map { nemesis.fate(of: passage(direction, pad: $0), seed: 7).ending }
        }
        #expect(try run(["nth": 2], pads: [1, 2, 1, 1]) == [.arrives, .arrives, .lost, .arrives])
        #expect(
            try run(["nth": 2, "every": true, "ending": "reset"], pads: [1, 1, 1, 1]) == [
                .arrives, .reset, .arrives, .reset,
            ])
        #expect(try run(["nth": 1, "route": "/database/"], pads: [1]) == [.arrives])
        #expect(try run(["nth": 1, "ending": "refused"], pads: [2]) == [.refused])
        #expect(try run(["nth": 1, "ending": "response-lost"], pads: [1]) == [.arrives])
        #expect(try run(["nth": 2, "ending": "response-lost"], .response, pads: [1, 1]) == [.arrives, .lost])
    }

    @Test("Nth request: a poll for pushes is none, in either direction")
    func nthPoll() throws {
        for (direction, ending) in [(Passage.Direction.request, "lost"), (.response, "response-lost")] {
            var nemesis = try Nemesis(
                specs: [spec("nth-request", pads: [], ["nth": 1, "ending": .string(ending)])], pads: [1],
                stormEnd: at(100))
            nemesis.begin(0)
            let endings = ["/push/v1/poll", "/database/1"].map {
                nemesis.fate(of: passage(direction, pad: 1, route: $0), seed: 7).ending
            }
            #expect(endings == [.arrives, .lost])
        }
    }

    @Test(
        "Answered in place of the Cloud: status, and what kind of body",
        arguments: [
            ("captive-portal", 200, "<!DOCTYPE html>"), ("content-filter", 403, "<!DOCTYPE html>"),
            ("too-many-requests", 429, "{"),
        ])
    func answered(kind: String, status: Int, body: String) throws {
        let storm = try Storm([spec(kind, ["route": "/database/"])])
        #expect(storm.fate(of: passage(.request)).ending == .arrives)
        guard case .answered(let response) = storm.fate(of: passage(.request, route: "/database/1")).ending else {
            Issue.record("not answered")
            return
        }
        #expect(response.status == status && String(decoding: response.body, as: UTF8.self).hasPrefix(body))
    }

    @Test("Late and doubled pushes: only pushes, late by at least half of the delay")
    func pushes() throws {
        let plain = try Storm([])
        let late = try Storm([spec("push-late", ["delay": "1m"])])
        let double = try Storm([spec("push-duplicated", ["delay": "1m"])])
        for direction in [Passage.Direction.request, .response, .push] {
            let extra =
                late.fate(of: passage(direction)).latency.nanoseconds
                - plain.fate(of: passage(direction)).latency.nanoseconds
            let isPush = direction == .push
            #expect(isPush ? (30_000_000_000...60_000_000_000).contains(extra) : extra == 0)
            #expect((double.fate(of: passage(direction)).duplicate != nil) == isPush)
        }
    }

    @Test("Busy zone: saves of records are answered 503 with a hint, everything else passes")
    func zoneBusy() throws {
        let storm = try Storm([spec("zone-busy", ["retryAfter": "1500ms"])])
        let database = "/database/1/iCloud.a/production/private/"
        #expect(storm.fate(of: passage(.request)).ending == .arrives)
        #expect(storm.fate(of: passage(.request, route: database + "changes/zone")).ending == .arrives)
        #expect(storm.fate(of: passage(.response, route: database + "records/modify")).ending == .arrives)
        guard
            case .answered(let response) = storm.fate(of: passage(.request, route: database + "records/modify")).ending
        else {
            Issue.record("not answered")
            return
        }
        #expect(response.status == 503 && response.headers["Retry-After"] == "2")
        #expect(response.json?["serverErrorCode"] == "ZONE_BUSY")
    }

    @Test("No free slot: the queues reach nobody, accounts answer")
    func noFreeSlot() throws {
        #expect(try endings(spec("no-free-slot")) == [.lost, .arrives, .arrives])
        let storm = try Storm([spec("no-free-slot")])
        #expect(storm.fate(of: passage(.request, route: "/accounts/v1/signin")).ending == .arrives)
    }

    @Test("Several faults: the first ending stays")
    func order() throws {
        let both = try Storm([spec("partition", ["answer": "refused"]), spec("hold")])
        #expect(both.fate(of: passage(.request)).ending == .refused)
        let other = try Storm([spec("hold"), spec("partition", ["answer": "refused"])])
        #expect(other.fate(of: passage(.request)).ending.isHeld)
    }
}

@Suite("Faults of devices, apps and people")
struct DeviceFaultTests {
    /// What one fault asks for at its begin and at its end.
    private func acts(_ spec: FaultSpec) throws -> [[FaultAct]] {
        var nemesis = try Storm([spec], at: .zero).nemesis
        nemesis.begin(0)
        let acts = [nemesis.faults[0].begin(), nemesis.faults[0].heal()]
        return nemesis.isActive(0) ? acts : [acts[0]]
    }
    private func command(_ name: String, _ body: Value = .empty, pad: Int = 1) -> [FaultAct] {
        [.command(.pad(pad), Message(name, body))]
    }

    private func cloud(_ name: String, _ body: Value = .empty) -> [FaultAct] { [.command(.cloud, Message(name, body))] }

    @Test("Quota: less space for one or all, told to the Cloud once, and the usual space again")
    func quota() throws {
        #expect(
            try acts(spec("quota-exceeded", pads: [])) == [
                cloud("cloud.quota", ["bytes": 0]), cloud("cloud.quota", ["bytes": .null]),
            ])
        #expect(
            try acts(spec("quota-exceeded", ["person": "maya", "bytes": 3000])) == [
                cloud("cloud.quota", ["bytes": 3000, "account": "maya"]),
                cloud("cloud.quota", ["bytes": .null, "account": "maya"]),
            ])
    }

    @Test("Windows: airplane mode, lock, identity and clock begin and heal")
    func windows() throws {
        #expect(
            try acts(spec("airplane-mode")) == [
                command("device.airplane", ["on": true]), command("device.airplane", ["on": false]),
            ])
        #expect(try acts(spec("lock")) == [command("device.lock"), command("device.unlock")])
        for (kind, what) in [("on-battery", "device.power"), ("no-wifi", "device.wifi")] {
            #expect(try acts(spec(kind)) == [command(what, ["on": false]), command(what, ["on": true])])
        }
        #expect(
            try acts(spec("interruption")) == [command("device.interrupt"), command("device.interruptEnded")])
        #expect(
            try acts(spec("identity-change", ["to": "none"])) == [
                command("identity.change", ["to": .null]), command("identity.change", ["to": "own"]),
            ])
        #expect(
            try acts(spec("documents-and-data-off")) == [
                command("identity.change", ["to": "withoutDocuments"]), command("identity.change", ["to": "own"]),
            ])
        #expect(
            try acts(spec("clock-skew", ["offset": "-90s", "drift": 500])) == [
                command("clock.set", ["offset": -90_000_000_000, "drift": 500]),
                command("clock.set", ["offset": 0, "drift": 0]),
            ])
    }

    @Test("Windows of people, apps, storage and the Cloud begin and heal")
    func otherWindows() throws {
        #expect(try acts(spec("suspend")) == [command("app.suspend"), command("app.resume")])
        for (kind, moment) in [("user-switch-idle", "idle"), ("user-switch-background-task", "backgroundTask")] {
            #expect(
                try acts(spec(kind)) == [
                    command("session.signOutWhen", ["moment": .string(moment)]),
                    command("session.signOutWhen", ["moment": .null]),
                ])
        }
        #expect(
            try acts(spec("no-free-slot")) == [
                command("session.squeeze", ["on": true]), command("session.squeeze", ["on": false]),
            ])
        #expect(
            try acts(spec("disk-full", ["free": 7])) == [
                command("storage.fill", ["free": 7]), command("storage.fill", ["bytes": 0]),
            ])
        #expect(
            try acts(spec("partial-failure", pads: [], ["person": "maya"])) == [
                cloud("cloud.refuseRecords", ["share": 0.5, "account": "maya"]),
                cloud("cloud.refuseRecords", ["share": 0.0, "account": "maya"]),
            ])
        #expect(
            try acts(spec("stale-index", pads: [], ["behind": "9s"])) == [
                cloud("cloud.delayIndex", ["behind": 9_000_000_000]), cloud("cloud.delayIndex", ["behind": 0]),
            ])
        #expect(
            try acts(spec("account-suspended", pads: [], ["person": "maya"])) == [
                cloud("cloud.suspend", ["on": true, "account": "maya"]),
                cloud("cloud.suspend", ["on": false, "account": "maya"]),
            ])
        #expect(
            try acts(spec("delayed-notice", ["to": "none", "delay": "3s"])) == [
                command("identity.change", ["to": .null, "noticeAfter": 3_000_000_000]),
                command("identity.change", ["to": "own"]),
            ])
        #expect(
            try acts(spec("clock-drift", ["drift": 500])) == [
                command("clock.set", ["drift": 500]), command("clock.set", ["offset": 0, "drift": 0]),
            ])
    }

    @Test("Clock that jumps: there and back again, each time, and set right at the end")
    func jumps() throws {
        let acts = try acts(spec("clock-jump", ["by": "1h", "every": "4s"]))
        func jump(_ hours: Int64, after seconds: Int64) -> FaultAct {
            .commandLater(
                .pad(1), after: .seconds(seconds), Message("clock.jump", ["by": .int(hours * 3_600_000_000_000)]))
        }
        #expect(
            acts.first == command("clock.jump", ["by": 3_600_000_000_000]) + [jump(-1, after: 4), jump(1, after: 8)])
        #expect(acts.last == command("clock.set", ["offset": 0, "drift": 0]))
    }

    @Test("The same person twice: whoever is there is logged out, the person signs in, and an app is opened")
    func samePersonTwice() throws {
        let acts = try acts(spec("same-person-twice", ["person": "maya", "app": "quiz"]))
        #expect(
            acts == [
                command("session.logOut") + command("person.signIn", ["person": "maya"]) + [
                    .commandLater(.pad(1), after: .seconds(5), Message("app.open", ["app": "quiz"]))
                ], command("session.logOut", ["person": "maya"]),
            ])
        #expect(problem(spec("same-person-twice"))?.parameter == "person")
        #expect(problem(spec("account-suspended"))?.parameter == "person")
    }

    @Test("Identity: which faults bring in a second account, to be read at the end")
    func secondAccount() throws {
        var other = spec("delayed-notice")
        #expect(IdentityChange.changesAccount(spec("identity-change")) && IdentityChange.changesAccount(other))
        other.parameters["to"] = "none"
        #expect(!IdentityChange.changesAccount(other) && !IdentityChange.changesAccount(spec("app-kill")))
    }

    @Test("Events: kills, purges and revocation ask once and heal nothing")
    func events() throws {
        let cases: [(FaultSpec, [FaultAct])] = [
            (spec("app-kill", until: 10, ["hops": 5]), [.killApp(pad: 1, afterHops: 5, reason: .kill)]),
            (spec("crash", until: 10, ["hops": 5]), [.killApp(pad: 1, afterHops: 5, reason: .crash)]),
            (spec("watchdog", until: 10, ["app": "quiz"]), command("app.hang", ["app": "quiz"])),
            (spec("bell", until: 10), command("session.bell")),
            (spec("guest-timeout", until: 10), command("session.timeOut")),
            (spec("evict-person", until: 10, ["person": "maya"]), command("session.evict", ["person": "maya"])),
            (spec("purge", until: 10), command("storage.purgeSignedOut")),
            (spec("memory-kill", until: 10), command("app.memoryKill")),
            (spec("force-quit", until: 10, ["app": "quiz"]), command("app.forceQuit", ["app": "quiz"])),
            (spec("low-space-purge", until: 10, ["person": "maya"]), command("storage.purge", ["person": "maya"])),
            (spec("document-evicted", until: 10, ["bytes": 7]), command("storage.pressure", ["bytes": 7])),
            (spec("memory-warning", until: 10, ["bytes": 9]), command("device.memoryPressure", ["bytes": 9])),
            (spec("app-upgrade", until: 10), command("app.update", ["version": "2"])),
            (
                spec("app-upgrade", until: 10, ["app": "quiz", "version": "3.1"]),
                command("app.update", ["version": "3.1", "app": "quiz"])
            ),
            (spec("credential-revoked", until: 10), command("identity.revoke")),
            (spec("credential-revoked", until: 10, ["person": "maya"]), cloud("cloud.revoke", ["account": "maya"])),
            (
                spec("zone-deleted", until: 10, ["person": "maya", "zone": "Notes"]),
                cloud("cloud.deleteZones", ["account": "maya", "zone": "Notes"])
            ),
            (spec("change-token-expired", until: 10), cloud("cloud.expireTokens")),
            (
                spec("change-token-expired", until: 10, ["person": "maya"]),
                cloud("cloud.expireTokens", ["account": "maya"])
            ),
            (spec("reboot", until: 10, ["outage": "3s"]), [.reboot(pad: 1, outage: .seconds(3))]),
            (
                spec("user-switch-mid-edit", until: 10, ["hops": 2]),
                [.commandAfterHops(pad: 1, hops: 2, Message("session.logOut"))]
            ),
        ]
        for (spec, expected) in cases { #expect(try acts(spec) == [expected]) }
    }

    @Test("Administrators: log-out, deletion of one or all, erasure; each is a management command with the fault's id")
    func administrators() throws {
        func request(_ body: Value) -> [FaultAct] { command("mdm.command", ["CommandUUID": "f", "Command": body]) }
        let cases: [(FaultSpec, Value)] = [
            (spec("log-out-user", until: 10), ["RequestType": "LogOutUser"]),
            (spec("erase-device", until: 10), ["RequestType": "EraseDevice"]),
            (
                spec("delete-user", until: 10),
                ["RequestType": "DeleteUser", "DeleteAllUsers": true, "ForceDeletion": false]
            ),
            (
                spec("delete-user", until: 10, ["person": "maya", "force": true]),
                ["RequestType": "DeleteUser", "UserName": "maya", "ForceDeletion": true]
            ),
        ]
        for (spec, body) in cases {
            var spec = spec
            spec.id = "f"
            #expect(try acts(spec) == [request(body)])
        }
        #expect(problem(spec("delete-user", until: 10, ["force": "yes"]))?.parameter == "force")
    }

    @Test("Administrators, polled: the command waits at the server for each iPad, under a name of its own")
    func polled() throws {
        for (kind, type) in [
            ("log-out-user", "LogOutUser"), ("delete-user", "DeleteUser"), ("erase-device", "EraseDevice"),
        ] {
            var spec = spec(kind, until: 10, pads: [], ["polled": true])
            spec.id = "f"
            let queued = try acts(spec).flatMap { $0 }.compactMap { act -> Value? in
                guard case .command(.cloud, let message) = act, message.name == "cloud.mdm" else { return nil }
                #expect(message["Command"]?["RequestType"] == .string(type))
                return message["CommandUUID"]
            }
            #expect(queued == ["f/ipad-1", "f/ipad-2"], "\(kind)")
            #expect(problem(Self.wrong(kind))?.parameter == "polled")
        }
    }
    private static func wrong(_ kind: String) -> FaultSpec {
        FaultSpec(id: "f", kind: kind, from: .zero, until: .zero, pads: [1], parameters: ["polled": 1])
    }

    @Test("Power cut: each iPad tears by a seed of its own")
    func powerCut() throws {
        let cuts = try acts(spec("power-cut", until: 10, pads: [])).flatMap { $0 }
        #expect(cuts.count == 2)
        guard case .powerCut(1, let first, .seconds(40)) = cuts[0], case .powerCut(2, let second, _) = cuts[1] else {
            Issue.record("expected a power cut of both iPads")
            return
        }
        #expect(first != second)
    }

    @Test("Cloud crash: no iPad is needed")
    func cloudCrash() throws {
        guard case .crashCloud(_, .seconds(10)) = try acts(spec("cloud-crash", until: 10, pads: [])).first?.first else {
            Issue.record("expected a crash of the Cloud")
            return
        }
    }

    @Test("Sign-out with uploads pending: the network is cut, the log-out follows inside the window")
    func signOutWithUploads() throws {
        let fault = spec("sign-out-with-uploads-pending", ["delay": "4s"])
        #expect(try endings(fault) == [.lost, .lost, .lost])
        let logOut = Message("session.logOut")
        #expect(try acts(fault) == [[.commandLater(.pad(1), after: .seconds(4), logOut)], []])
        let late = spec("sign-out-with-uploads-pending", ["delay": "1h"])
        #expect(try acts(late).first == [.commandLater(.pad(1), after: .seconds(10), logOut)])
    }
}

@Suite("Fault parameters")
struct FaultParameterTests {
    @Test("Unknown and impossible parameters: named, never accepted")
    func problems() {
        let cases: [(FaultSpec, String)] = [
            (spec("latency", ["extr": 1]), "extr"),
            (spec("latency", ["extra": "0s"]), "extra"),
            (spec("latency", ["extra": "fast"]), "extra"),
            (spec("latency", ["extra": .int(Int64.max)]), "extra"),
            (spec("loss-of-request", ["probability": 1.5]), "probability"),
            (spec("loss-of-request", ["probability": "often"]), "probability"),
            (spec("loss-of-request", ["route": 4]), "route"),
            (spec("one-way-cut", ["direction": "left"]), "direction"),
            (spec("app-kill", ["hops": -1]), "hops"),
            (spec("clock-skew", ["drift": 2_000_000]), "drift"),
            (spec("quota-exceeded", ["bytes": -1]), "bytes"),
            (spec("quota-exceeded", until: 10), "until"),
            (spec("change-token-expired", ["account": "maya"]), "account"),
            (spec("hold", from: 10, until: 10), "until"),
            (spec("hold", from: 10, until: 5), "until"),
            (spec("hold", from: -1), "from"),
            (spec("hold", pads: [0]), "ipads"),
            (spec("hold", ["on"]), "with"),
            (spec("earthquake"), "fault"),
        ]
        for (spec, parameter) in cases { #expect(problem(spec)?.parameter == parameter, "\(spec)") }
    }

    @Test("Registry: names are unique and told in full", arguments: FaultRegistry.names)
    func registry(name: String) throws {
        #expect(FaultRegistry.names.filter { $0 == name }.count == 1)
        let type = try #require(FaultRegistry.named(name))
        #expect(!type.summary.isEmpty && !type.source.isEmpty)
    }
    @Test("Drawn: a plain window is within its length, and a sign-out at some moment is of one iPad")
    func drawn() {
        let windows = FaultRegistry.all.compactMap { $0 as? any PlainWindow.Type }
        for type in windows {
            var draw = Draw(seed: 7, name: type.name)
            let specs = (0..<50).map { _ in type.drawn(id: "f", pads: [1, 2, 3], horizon: at(3600), &draw) }
            #expect(specs.allSatisfy { problem($0) == nil && $0.until - $0.from <= type.lasting.upperBound })
            #expect(specs.contains { $0.pads.count > 1 } != type.isOfOneIPad, "\(type.name)")
        }
        #expect(windows.filter { $0.isOfOneIPad }.map { $0.name } == ["user-switch-idle", "user-switch-background-task"])
    }
}
