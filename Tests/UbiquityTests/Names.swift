// What an app writes once when its files import Foundation beside Ubiquity: names of its own module win over both.
import Ubiquity

typealias Bundle = Ubiquity.Bundle
typealias FileHandle = Ubiquity.FileHandle
typealias FileManager = Ubiquity.FileManager
typealias NotificationCenter = Ubiquity.NotificationCenter
typealias UserDefaults = Ubiquity.UserDefaults
typealias NSPredicate = Ubiquity.NSPredicate
typealias URLResourceValues = Ubiquity.URLResourceValues
