import FleetModel
import Storage

/// What an iPad shows of itself to somebody who looks on: each service its own part.
extension Pad: Inspectable {
    /// `state`, or a question about one of its volumes: `volume` is `system` or a person.
    public func inspect(_ question: Message) -> Value? {
        guard question.name != "state" else { return inspection }
        guard let name = question["volume"]?.string else {
            guard question.name == "files" else { return ["error": "say which volume: 'system' or a person"] }
            return .array(inspectedVolumes.flatMap { name, disk in files(of: disk, called: name, question) })
        }
        guard let disk = inspectedVolumes.first(where: { $0.name == name })?.disk else {
            return ["error": .string("\(kernel.spec.deviceName) has no volume '\(name)' open")]
        }
        return disk.inspect(question)
    }
    private func files(of disk: Disk, called name: String, _ question: Message) -> [Value] {
        (disk.inspect(question)?.array ?? []).map { file in
            var file = file
            file.show([("volume", .string(name))])
            return file
        }
    }
    private var inspectedVolumes: [(name: String, disk: Disk)] {
        [("system", kernel.systemDisk)]
            + storage.volumes.values.filter { !$0.isSecond }.sorted { $0.person < $1.person }
            .map { ($0.person, $0.disk) }
    }

    private var inspection: Value {
        var body: Value = [
            "clock": .string(
                Instant(nanoseconds: kernel.state.device.clock.reading(at: now) - Instant.epochNanoseconds).wallClock),
            "session": sessions.inspection, "apps": apps.inspection, "requests": network.inspection,
            "timers": kernel.inspection, "queue": storage.localData.pendingBody, "residents": residents.inspection,
            "volumes": .array(
                inspectedVolumes.map { name, disk in
                    [
                        "volume": .string(name), "bytes": .int(disk.usedBytes), "writes": .int(Int64(disk.writeCount)),
                        "notDurable": .int(disk.unsyncedFiles(under: "/").count),
                    ]
                }),
        ]
        body.show([
            ("off", kernel.isDown ? true : nil), ("airplane", kernel.state.device.isAirplaneMode ? true : nil),
            ("daemonsWake", (daemons.nextWake?.wallClock).map { .string($0) }),
        ])
        return body
    }
}

extension Sessions {
    fileprivate var inspection: Value {
        let state =
            switch session {
            case .none: "nobody"
            case .active: "active"
            case .leaving: "leaving"
            }
        var body: Value = ["state": .string(state), "locked": .bool(pad.protection.isLocked)]
        body.show([
            ("person", person.map { .string($0) }), ("account", person.map { .string(pad.accounts.account(of: $0)) }),
            ("front", pad.apps.screen.foreground.flatMap { pad.apps[$0] }.map { .string($0.identity.app) }),
        ])
        return body
    }
}

extension Residents {
    fileprivate var inspection: Value {
        .array(
            people.map { person in
                [
                    "person": .string(person), "synced": .bool(isSynced(person)),
                    "mayLose": .bool(mayLoseLocalData(person)),
                ]
            })
    }
}

extension AppLifecycle {
    fileprivate var inspection: Value { .array(runs.keys.sorted().compactMap { runs[$0]?.inspection }) }
}

extension AppRun {
    fileprivate var inspection: Value {
        var body: Value = [
            "launch": .int(identity.launch), "app": .string(identity.app), "person": .string(identity.person),
            "process": .string("\(process)"), "phase": .string(phase.rawValue), "goal": .string("\(goal)"),
        ]
        body.show([
            ("account", account == identity.person ? nil : .string(account)),
            ("progress", hasArrived ? nil : .string("\(progress)")),
            ("hasNotReturnedFrom", (callback?.callback.rawValue).map { .string($0) }),
            ("ends", (terminating?.rawValue).map { .string($0) }),
            ("inbox", mail.inbox.isEmpty ? nil : .strings(mail.inbox.map(\.message.name))),
            ("eventsNotReturned", mail.events.isEmpty ? nil : .int(mail.events.count)),
            ("backgroundTasks", background.tasks.isEmpty ? nil : .int(background.tasks.count)),
            ("hung", disturbance.isHung ? true : nil),
        ])
        return body
    }
}

extension Network {
    fileprivate var inspection: Value {
        .array(
            requests.sorted { $0.key < $1.key }.map { exchange, outgoing in
                var body: Value = [
                    "exchange": .string(String(exchange)), "cause": .string(outgoing.cause),
                    "request": .string("\(outgoing.request.method) \(outgoing.request.target)"),
                    "bytes": .int(outgoing.request.body.count),
                ]
                if case .daemon(let task) = outgoing.purpose {
                    let words = "\(task.person) \(task.service)/\(task.name), try \(task.attempt + 1)"
                    body.show([("task", .string(words))])
                }
                body.show([("waitsForToken", outgoing.isHeld ? true : nil)])
                return body
            })
    }
}

extension Kernel {
    fileprivate var inspection: Value {
        .array(timers.all.map { ["at": .string($0.at.wallClock), "what": .string("\($0.timer)")] })
    }
}

extension Value {
    /// Adds what there is to show; nil: nothing.
    fileprivate mutating func show(_ members: [(name: String, value: Value?)]) {
        for member in members where member.value != nil { self[member.name] = member.value }
    }
}
