import ExampleApps
import HomeroomKit

Homeroom.main(apps: exampleApps)
