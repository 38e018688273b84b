// What an app writes once, so that files which import Foundation alone mean the iPad's: names of its own module win.
import Ubiquity

public typealias FileManager = Ubiquity.FileManager
public typealias NotificationCenter = Ubiquity.NotificationCenter
public typealias NSUbiquitousKeyValueStore = Ubiquity.NSUbiquitousKeyValueStore
public typealias RunLoop = Ubiquity.RunLoop
public typealias Timer = Ubiquity.Timer
public typealias UserDefaults = Ubiquity.UserDefaults
