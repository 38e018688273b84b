import FleetModel
import PadApp

/// A variant of a correct app with one mistake that people really make, and what a testbed has to make of it (Docs/zoo.md).
public struct PlantedBug: Sendable {
    /// The variant's name as an app: `ck-08`.
    public var id: String
    /// The correct app.
    public var app: String
    /// The classes that are right.
    public var classes: [LossClass]
    /// A scenario file that can bring the mistake about; nil: the generic swarm can.
    public var scenario: String?
    /// What the variant does wrong.
    public var mistake: String
    /// The variant itself.
    public var type: any PadApp.Type

    /// - Parameters:
    ///   - table: lines of `id app classes scenario mistake`, with tabs between them and blanks between classes; `-` for no scenario. `#` begins a comment.
    ///   - types: the variants; each has its line.
    public static func all(_ table: String, types: [any PadApp.Type]) -> [PlantedBug] {
        let rows = table.split(separator: "\n").filter { !$0.hasPrefix("#") }
        return rows.compactMap { row in
            let cells = row.split(separator: "\t").map(String.init)
            guard cells.count == 5, let type = types.first(where: { $0.declaration.name == cells[0] }) else {
                return nil
            }
            return PlantedBug(
                id: cells[0], app: cells[1],
                classes: cells[2].split(separator: " ").compactMap { LossClass(rawValue: String($0)) },
                scenario: cells[3] == "-" ? nil : cells[3], mistake: cells[4], type: type)
        }
    }
}
