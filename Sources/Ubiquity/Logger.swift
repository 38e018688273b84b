import Foundation

/// Writes to the app's log: one line a message, with its category and level (OSLog, "Logger"). ASSUMED: every level is written, and private
/// values are shown, because the log is a test's.
public struct Logger: Sendable {
    let log: OSLog

    /// Writes without a category.
    public init() { log = .default }
    /// Writes where a log of the older interface writes; nothing for `OSLog.disabled`.
    public init(_ logObj: OSLog) { log = logObj }
    /// Writes with the category. The subsystem is not shown: a log has one app's lines.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// Writes at the level notice.
    public func log(_ message: OSLogMessage) { log.write("notice", message.text) }
    /// Writes at a level that is known only when the program runs.
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(level.word, message.text) }
    /// Writes at the level trace.
    public func trace(_ message: OSLogMessage) { log.write("trace", message.text) }
    /// Writes at the level debug. ASSUMED: also where Apple's would leave it out.
    public func debug(_ message: OSLogMessage) { log.write("debug", message.text) }
    /// Writes at the level info.
    public func info(_ message: OSLogMessage) { log.write("info", message.text) }
    /// Writes at the level notice, the default one.
    public func notice(_ message: OSLogMessage) { log.write("notice", message.text) }
    /// Writes at the level warning.
    public func warning(_ message: OSLogMessage) { log.write("warning", message.text) }
    /// Writes at the level error.
    public func error(_ message: OSLogMessage) { log.write("error", message.text) }
    /// Writes at the level critical, which Apple keeps as a fault.
    public func critical(_ message: OSLogMessage) { log.write("critical", message.text) }
    /// Writes at the level fault.
    public func fault(_ message: OSLogMessage) { log.write("fault", message.text) }
}

/// Where messages belong (OSLog, "OSLog").
public final class OSLog: Sendable {
    let category: String?
    private let isDisabled: Bool

    /// A log whose lines carry the category.
    public init(subsystem: String, category: String) { (self.category, isDisabled) = (category, false) }
    /// A log of one of the system's categories.
    public init(subsystem: String, category: Category) { (self.category, isDisabled) = (category.rawValue, false) }
    private init(isDisabled: Bool) { (category, self.isDisabled) = (nil, isDisabled) }

    /// Lines without a category.
    public static let `default` = OSLog(isDisabled: false)
    /// Writes nothing.
    public static let disabled = OSLog(isDisabled: true)

    /// A category that the system's tools know by name.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// What stands in brackets before a message.
        public let rawValue: String
        /// Takes any text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Marks for a profiler; here lines like all others.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
    }

    /// False only for `disabled`: ASSUMED, every level is on.
    public func isEnabled(type: OSLogType) -> Bool { !isDisabled }
    func write(_ level: String, _ text: String) {
        guard !isDisabled else { return }
        print(category.map { "[\($0)] \(level): \(text)" } ?? "\(level): \(text)")
    }
}

/// How much a message matters; here only a word in its line.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// Apple's number.
    public let rawValue: UInt8
    /// Takes any number; one that is not known is written as notice.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// As `init(rawValue:)`.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }
    /// Written as notice.
    public static let `default` = OSLogType(0x00)
    /// Written as info.
    public static let info = OSLogType(0x01)
    /// Written as debug.
    public static let debug = OSLogType(0x02)
    /// Written as error.
    public static let error = OSLogType(0x10)
    /// Written as fault.
    public static let fault = OSLogType(0x11)

    var word: String {
        switch self {
        case .info: "info"
        case .debug: "debug"
        case .error: "error"
        case .fault: "fault"
        default: "notice"
        }
    }
}
