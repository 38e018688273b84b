import BugZoo
import ExampleApps
import HomeroomKit

Homeroom.main(apps: ExampleApps.exampleApps, zoo: plantedBugs)
