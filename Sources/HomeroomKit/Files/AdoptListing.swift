import Adopt
import FleetModel

/// What `adopt` prints: imports, then file by file each line with its reason, then one line that sums it up.
struct AdoptListing {
    let adoption: Adoption
    let folder: String

    init(_ adoption: Adoption, folder: String) { (self.adoption, self.folder) = (adoption, folder) }

    var lines: [String] { imports + files + [""] }

    private var imports: [String] {
        let width = adoption.imports.map(\.module.count).max() ?? 0
        let rows = adoption.imports.map { one in
            let state =
                switch one.state {
                case .linux: "on Linux"
                case .homeroom: "here: \(one.advice)"
                case .missing: "missing in \(Self.count(one.files.count, "file")): \(one.advice)"
                case .package: one.advice
                }
            return "  \(padded(one.module, width))  \(state)"
        }
        return ["imports"] + rows
    }
    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private var files: [String] {
        adoption.files.flatMap { file -> [String] in
            let own = adoption.findings.filter { $0.file == file }
            guard !own.isEmpty else { return [] }
            let place = own.map { "\($0.line):\($0.column)".count }.max() ?? 0
            let name = min(52, own.map(\.name.count).max() ?? 0)
            var said: Set<String> = []
            var lines = ["", "\(file): \(Self.parts(own).joined(separator: ", "))"]
            for one in own {
                let at = "\(one.line):\(one.column)"
                let mark = one.kind == .change ? "" : one.kind == .stops ? "ends a run: " : "differs: "
                lines.append(
                    "  \(String(repeating: " ", count: place - at.count))\(at)  \(padded(one.name, name))  \(mark)\(one.why)"
                )
                // An advice once a file.
                if said.insert(one.advice).inserted {
                    lines.append("  \(String(repeating: " ", count: place))    -> \(one.advice)")
                }
            }
            return lines
        }
    }
    private static func parts(_ findings: [Adopt.Finding]) -> [String] {
        [(Adopt.Finding.Kind.change, "to change"), (.stops, "that would end a run"), (.differs, "that differ")]
            .compactMap {
                kind, words in
                let lines = Set(findings.filter { $0.kind == kind }.map { "\($0.file):\($0.line)" }).count
                return lines == 0 ? nil : "\(count(lines, "line")) \(words)"
            }
    }
    private static func count(_ number: Int, _ what: String) -> String {
        "\(grouped(number)) \(what)\(number == 1 ? "" : "s")"
    }
    private static func grouped(_ number: Int) -> String {
        number < 1000 ? "\(number)" : "\(grouped(number / 1000)),\(String(String(1000 + number % 1000).dropFirst()))"
    }

    /// `adopt: 1,240 lines, 12 imports, 3 lines to change: os (2), UIKit (1)`
    var summary: String {
        var parts = [Self.count(adoption.lines, "line"), Self.count(adoption.imports.count, "import")]
        let found = Self.parts(adoption.findings)
        parts += found.isEmpty ? ["nothing to change"] : found
        if adoption.leftOut > 0 { parts.append("\(Self.count(adoption.leftOut, "line")) for other platforms left out") }
        var names: [String: Int] = [:]
        for one in adoption.findings where one.kind == .change && !one.name.hasPrefix(".") {
            names[one.name, default: 0] += 1
        }
        let most = names.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4).map {
            $1 == 1 ? $0 : "\($0) (\($1))"
        }
        return
            "adopt: \(parts.joined(separator: ", "))\(most.isEmpty ? "" : ": \(most.joined(separator: ", "))\(names.count > 4 ? ", ..." : "")")"
    }

    func value(written: [String]) -> Value {
        [
            "lines": .int(adoption.lines), "leftOut": .int(adoption.leftOut), "written": .strings(written),
            "imports": .array(
                adoption.imports.map { one in
                    [
                        "module": .string(one.module), "state": .string(one.state.rawValue),
                        "files": .strings(one.files), "advice": .string(one.advice),
                    ]
                }),
            "findings": .array(
                adoption.findings.map { one in
                    [
                        "kind": .string(one.kind.rawValue), "file": .string(one.file), "line": .int(one.line),
                        "column": .int(one.column),
                        "name": .string(one.name), "why": .string(one.why), "advice": .string(one.advice),
                    ]
                }),
        ]
    }
}
