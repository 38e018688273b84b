import ArgumentParser
import FleetModel
import Report
import Run

/// `homeroom merge` of the parts of searches.
struct SearchMerge {
    let groups: [JoinedParts]
    /// As it was given: where parts that are missing are to leave their results.
    let folder: String
    let junit: String?
    let out: String?

    func run() throws {
        guard out == nil else {
            throw RunEnd.input(
                "--out is for the parts of a split run: what a search found is printed; use --json or --junit")
        }
        let searches = try groups.filter { !$0.isZoo }.map { try JoinedSearch($0, folder: folder) }
        let zoos = try groups.filter(\.isZoo).map { try JoinedZoo($0, folder: folder) }
        let junit = junit.map { OutputFile($0, orElse: .junit) }
        guard junit == nil || searches.count == 1 else {
            throw RunEnd.input("--junit takes one search over seeds; \(folder) holds \(searches.count)")
        }
        try junit?.probe()
        for search in searches {
            search.tell()
            tell(search.missing, search.parts)
        }
        for zoo in zoos {
            zoo.tell()
            tell(zoo.missing, zoo.parts)
        }
        let missing = searches.flatMap(\.missing) + zoos.flatMap(\.missing)
        let status = ExitStatus.worst(
            searches.map(\.status) + zoos.map(\.status) + [missing.isEmpty ? .asExpected : .unknown])
        if let search = searches.first {
            try junit?.write(SeedCases.junit(search.tally, search.reports, traces: [:], began: TimeOfDay.now))
        }
        JSONOutput.print(
            "merge", status,
            [
                "searches": .array(searches.map { body($0.body, $0.parts, $0.missing) }),
                "zoos": .array(zoos.map { body($0.body, $0.parts, $0.missing) }),
            ])
        throw ExitCode(status)
    }

    private func body(_ found: Value, _ parts: JoinedParts, _ missing: [JoinedParts.Missing]) -> Value {
        ["parts": .int(parts.count), "missing": .array(missing.map(\.body)), "found": found]
    }

    private func tell(_ missing: [JoinedParts.Missing], _ parts: JoinedParts) {
        if let remark = parts.remark { say("  \(remark)") }
        for one in missing {
            say("missing  part \(one.shard) \(one.why); run it again, in a job array with HOMEROOM_SHARD=\(one.shard):")
            say("  \(one.command)")
        }
        if !missing.isEmpty { say("then merge once more: what is above is not all") }
    }
}
