import FleetModel
import Workload

/// A key of a scenario that may be left out.
struct Setting {
    /// Whether a file does not have to say it.
    let isUsual: (Scenario) -> Bool
    let reset: (inout Scenario) -> Void

    private static func of<T: Equatable>(_ path: WritableKeyPath<Scenario, T>, _ usual: T) -> Setting {
        Setting(isUsual: { $0[keyPath: path] == usual }, reset: { $0[keyPath: path] = usual })
    }

    static var all: [Setting] {
        [
            of(\.slots, nil), of(\.capacity, nil), of(\.configuration, nil), of(\.purgeAtSignOut, nil),
            of(\.awaitDeviceConfigured, nil), of(\.launchLimit, nil), of(\.switches, PadSwitches()),
            of(\.isMeasured, false), of(\.isAudited, false), of(\.work.ipadsEach, 1), of(\.calmBudget, .hours(2)),
            of(\.limits, Scenario.Limits()),
            Setting(
                isUsual: { $0.cloud.body == .empty },
                reset: { $0.cloud = Switches($0.cloud.all, noun: "setting", tellsDefaults: false) }),
            Setting(
                isUsual: { !$0.watchesSchema },
                reset: {
                    $0.watchesSchema = false
                    $0.schemaFiles = [:]
                }),
            Setting(
                isUsual: { $0.core == Array(1...max(1, $0.ipads)) },
                reset: { $0.core = Array(1...max(1, $0.ipads)) }),
            Setting(
                isUsual: { $0.storm == $0.usualStorm },
                reset: { $0.storm = $0.usualStorm }),
        ]
    }

    /// One less: of what has several sides, one of them.
    static func singly(_ scenario: Scenario) -> [Scenario] {
        var found = all.filter { !$0.isUsual(scenario) }.map { setting in
            var less = scenario
            setting.reset(&less)
            return less
        }
        for pair in scenario.switches.body.object?.pairs ?? [] {
            var less = scenario
            less.switches = PadSwitches()
            for kept in scenario.switches.body.object?.pairs ?? [] where kept.key != pair.key {
                _ = less.switches.set(kept.key, to: kept.value.string ?? "")
            }
            found.append(less)
        }
        for pair in scenario.cloud.body.object?.pairs ?? [] {
            var less = scenario
            less.cloud = Switches(scenario.cloud.all, noun: "setting", tellsDefaults: false)
            for kept in scenario.cloud.body.object?.pairs ?? [] where kept.key != pair.key {
                _ = less.cloud.set(kept.key, to: kept.value.string ?? "")
            }
            found.append(less)
        }
        return found
    }
}
