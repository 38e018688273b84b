import Foundation

/// A message of a log: text with values, as `Logger` takes it (OSLog, "OSLogMessage").
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    let text: String
    public init(stringLiteral value: String) { text = value }
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    var text = ""
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) { text += literal }

    public mutating func appendInterpolation<T>(
        _ value: @autoclosure () -> T, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        text += align.place(String(describing: value()))
    }
    public mutating func appendInterpolation<T: BinaryInteger>(
        _ value: @autoclosure () -> T, format: OSLogIntegerFormatting, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        text += align.place(format.text(of: value()))
    }
    public mutating func appendInterpolation<T: BinaryFloatingPoint>(
        _ value: @autoclosure () -> T, format: OSLogFloatFormatting, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        text += align.place(format.text(of: Double(value())))
    }
}

/// Who may read a value. Here everybody may: the log is a test's.
public struct OSLogPrivacy: Sendable {
    public enum Mask: Sendable { case none, hash }
    public static let auto = OSLogPrivacy()
    public static let `public` = OSLogPrivacy()
    public static let `private` = OSLogPrivacy()
    public static let sensitive = OSLogPrivacy()
    public static func auto(mask: Mask) -> OSLogPrivacy { auto }
    public static func `private`(mask: Mask) -> OSLogPrivacy { auto }
    public static func sensitive(mask: Mask) -> OSLogPrivacy { auto }
}

public struct OSLogIntegerFormatting: Sendable {
    private var radix = 10
    private var isUppercase = false
    public static let decimal = OSLogIntegerFormatting()
    public static let hex = OSLogIntegerFormatting(radix: 16)
    public static let octal = OSLogIntegerFormatting(radix: 8)
    public static func hex(explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false)
        -> OSLogIntegerFormatting
    { OSLogIntegerFormatting(radix: 16, isUppercase: uppercase) }

    private init(radix: Int = 10, isUppercase: Bool = false) { (self.radix, self.isUppercase) = (radix, isUppercase) }
    func text<T: BinaryInteger>(of value: T) -> String { String(value, radix: radix, uppercase: isUppercase) }
}

public struct OSLogFloatFormatting: Sendable {
    private var precision: Int?
    public static let fixed = OSLogFloatFormatting(precision: 6)
    public static let hybrid = OSLogFloatFormatting(precision: nil)
    public static func fixed(precision: @autoclosure () -> Int) -> OSLogFloatFormatting {
        OSLogFloatFormatting(precision: precision())
    }
    private init(precision: Int?) { self.precision = precision }
    func text(of value: Double) -> String {
        precision.map { String(format: "%.\(min(max($0, 0), 40))f", value) } ?? "\(value)"
    }
}

public struct OSLogStringAlignment: Sendable {
    private var columns = 0
    private var isRight = true
    public static let none = OSLogStringAlignment()
    public static func right(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns())
    }
    public static func left(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns(), isRight: false)
    }
    private init(columns: Int = 0, isRight: Bool = true) { (self.columns, self.isRight) = (columns, isRight) }
    func place(_ text: String) -> String {
        let space = String(repeating: " ", count: max(0, min(columns, 1000) - text.count))
        return isRight ? space + text : text + space
    }
}
