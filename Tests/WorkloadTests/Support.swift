import FleetModel
import Foundation
import Testing

@testable import Workload

/// Manifests like those of the example apps: this room knows no app.
enum Sample {
    static func app(_ name: String, _ actions: [AppManifest.Action], _ channel: Channel) -> AppManifest {
        AppManifest(
            name: name, bundleID: "com.example.\(name)", infoPlist: .empty, actions: actions,
            promises: Dictionary(actions.map { ($0.kind, .keepsAll) }, uniquingKeysWith: { first, _ in first }),
            channel: channel)
    }
    static let note: [AppManifest.Action] = [
        .init("write", kind: "note", verb: .put, weight: 4, pool: 6, prefix: "note"),
        .init("delete", kind: "note", verb: .delete, pool: 6, prefix: "note"),
    ]
    static let answer: [AppManifest.Action] = [
        .init("answer", kind: "answer", verb: .put, weight: 6, pool: 8, prefix: "answer"),
        .init("finishIntro", kind: "flag", verb: .effect, prefix: "introDone"),
    ]
    static let pages: [AppManifest.Action] = [
        .init("write", kind: "page", verb: .put, weight: 20, pool: 6, prefix: "page"),
        .init("leave", kind: "flag", verb: .effect, weight: 3, pool: 6, prefix: "left"),
        .init("close", kind: "flag", verb: .effect, pool: 6, prefix: "closed"),
    ]
    static let handIn: [AppManifest.Action] = [.init("handIn", kind: "handIn", verb: .put, prefix: "essay")]

    static let apps: [AppManifest] = [
        app("notebook", note, .record), app("notebook-overwrites", note, .record),
        app("notebook-memory-queue", note, .record),
        app("scrapbook", [.init("draw", kind: "page", verb: .put, pool: 5, prefix: "page")], .document),
        app("quiz", answer, .keyValue), app("quiz-local-flag", answer, .keyValue),
        app("homework", handIn, .upload), app("homework-late-upload", handIn, .upload),
        app("bulletin", [.init("pin", kind: "note", verb: .put, pool: 100, prefix: "place")], .record),
        app("diary", [.init("draw", kind: "page", verb: .put, pool: 5, prefix: "day")], .document),
        app("notebook-one-account", note, .record), app("groupwork", pages, .record),
        app("groupwork-keeps-pages", pages, .record), app("groupwork-private", pages, .record),
    ]
    static let faults = [
        "latency", "jitter", "loss-of-request", "loss-of-response", "duplicate", "one-way-cut", "partition", "hold",
        "airplane-mode", "service-unavailable", "cloud-crash", "push-lost", "quota-exceeded",
        "change-token-expired", "identity-change", "credential-revoked",
        "sign-out-with-uploads-pending", "user-switch-mid-edit", "app-kill", "memory-kill", "force-quit", "reboot",
        "power-cut",
        "low-space-purge", "log-out-user", "delete-user", "erase-device", "clock-skew", "lock", "document-evicted",
        "zone-deleted", "documents-and-data-off", "memory-warning", "app-upgrade", "bandwidth", "reorder", "reset",
        "truncation", "nth-request", "dns-failure", "tls-failure", "captive-portal", "content-filter",
        "too-many-requests", "zone-busy", "partial-failure", "stale-index", "push-late", "push-duplicated",
        "delayed-notice", "same-person-twice", "account-suspended", "user-switch-idle", "user-switch-background-task",
        "bell", "guest-timeout", "no-free-slot", "crash", "watchdog", "suspend", "purge", "disk-full", "evict-person",
        "clock-drift", "clock-jump", "on-battery", "no-wifi",
    ]

    static let settings = [
        Switches.Switch(name: "stampUserKey", values: ["userRecordName", "user"], meaning: "who"),
        Switches.Switch(name: "assetMegabytes", values: ["50", "15"], meaning: "how large"),
    ]

    /// A small whole scenario; each line can be replaced by a test.
    static let text = """
        name: small
        purpose: Two people change places.
        apps: [notebook, quiz]
        ipads: 2
        people: [maya, ben]
        timetable:
          - {start: 0m, length: 5m, seats: {maya: 1, ben: 2}}
          - {start: 6m, length: 5m, seats: {maya: 2, ben: 1}}
        work:
          edits: 6
          pause: [5s, 30s]
        faults:
          - {fault: latency, from: 1m, until: 2m, ipads: [1], with: {extra: 2s}}
        mustReach: [edit-performed]
        """
}

/// - Parameter refusal: what faults refuse; this room knows their names only.
func read(
    _ text: String, refusal: @escaping ScenarioReader.FaultRefusal = { _ in nil }
) -> Result<Scenario, ScenarioErrors> {
    ScenarioReader.read(
        text: text, file: "f.yaml", knownApps: Sample.apps, knownFaults: Sample.faults,
        knownSettings: Sample.settings, refusal: refusal)
}

/// The scenario of a text that has to be right.
func scenario(_ text: String = Sample.text) throws -> Scenario { try read(text).get() }

/// Messages of a text that has to be wrong.
func errors(_ text: String, refusal: @escaping ScenarioReader.FaultRefusal = { _ in nil }) -> [String] {
    switch read(text, refusal: refusal) {
    case .success: ["it was accepted"]
    case .failure(let errors): errors.errors.map(\.description)
    }
}

func plan(_ scenario: Scenario, seed: UInt64 = 1) -> [PlanStep] {
    Planner.plan(scenario, manifests: Sample.apps, seed: seed)
}

func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

/// The scenario files of the repository, by name.
enum Fleet {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fleet")
    static let names: [String] = ((try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".yaml") }.sorted()
    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }
}
