import HomeroomKit
import NoteApp

// What a test has written down as a scenario runs here too.
Homeroom.main(apps: [], engines: [.notes, .overwriting])
