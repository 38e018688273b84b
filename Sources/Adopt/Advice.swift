/// What to write in place of a member that is not here (`Known/advice.tsv`).
enum Advice {
    private static let all: [String: String] = PackageResources.advice_tsv.text.tableRows.reduce(into: [:]) {
        all, cells in
        if cells.count == 2 { for name in cells[0].split(separator: " ") { all[String(name)] = cells[1] } }
    }
    static func exact(_ name: String) -> String? { all[name] }
    static func text(for name: String) -> String {
        all[name] ?? all["\(name.components.first ?? name).*"]
            ?? "write it with what Docs/apps.md lists, or keep it out of the files that sync"
    }
}
