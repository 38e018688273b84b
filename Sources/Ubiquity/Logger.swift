import Foundation

/// Writes to the app's log: one line a message, with its category and level (OSLog, "Logger"). ASSUMED: every level is written, and private
/// values are shown, because the log is a test's.
public struct Logger: Sendable {
    let log: OSLog

    public init() { log = .default }
    public init(_ logObj: OSLog) { log = logObj }
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    public func log(_ message: OSLogMessage) { log.write("notice", message.text) }
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(level.word, message.text) }
    public func trace(_ message: OSLogMessage) { log.write("trace", message.text) }
    public func debug(_ message: OSLogMessage) { log.write("debug", message.text) }
    public func info(_ message: OSLogMessage) { log.write("info", message.text) }
    public func notice(_ message: OSLogMessage) { log.write("notice", message.text) }
    public func warning(_ message: OSLogMessage) { log.write("warning", message.text) }
    public func error(_ message: OSLogMessage) { log.write("error", message.text) }
    public func critical(_ message: OSLogMessage) { log.write("critical", message.text) }
    public func fault(_ message: OSLogMessage) { log.write("fault", message.text) }
}

/// Where messages belong (OSLog, "OSLog").
public final class OSLog: Sendable {
    let category: String?
    private let isDisabled: Bool

    public init(subsystem: String, category: String) { (self.category, isDisabled) = (category, false) }
    public init(subsystem: String, category: Category) { (self.category, isDisabled) = (category.rawValue, false) }
    private init(isDisabled: Bool) { (category, self.isDisabled) = (nil, isDisabled) }

    public static let `default` = OSLog(isDisabled: false)
    /// Writes nothing.
    public static let disabled = OSLog(isDisabled: true)

    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
    }

    public func isEnabled(type: OSLogType) -> Bool { !isDisabled }
    func write(_ level: String, _ text: String) {
        guard !isDisabled else { return }
        print(category.map { "[\($0)] \(level): \(text)" } ?? "\(level): \(text)")
    }
}

public struct OSLogType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }
    public static let `default` = OSLogType(0x00)
    public static let info = OSLogType(0x01)
    public static let debug = OSLogType(0x02)
    public static let error = OSLogType(0x10)
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
