// A homeroom of its own with apps whose sync code is written with Dispatch, operations and timers, as most sync code in the field is.
import HomeroomKit

Homeroom.main(apps: [QueueWords.self, OperationWords.self, ManagerWords.self])
