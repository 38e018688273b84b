// A homeroom of its own with the bugs of the zoo (Sources/BugZoo) as its apps, and a measure of what the testbed makes of them: whether the step that
// a story marks really doomed the edit: `zoo measure` (Scripts/zoo).
import BugZoo
import HomeroomKit

if CommandLine.arguments.dropFirst().first == "measure" { Measure.main(Array(CommandLine.arguments.dropFirst(2))) }

Homeroom.main(apps: plantedBugs.map(\.type))
