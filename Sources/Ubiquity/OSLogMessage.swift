import Foundation

/// A message of a log: text with values, as `Logger` takes it (OSLog, "OSLogMessage").
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    let text: String
    /// A message without values.
    public init(stringLiteral value: String) { text = value }
    /// A message with its values put in.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// How a message's values become text. The compiler calls it for a literal.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    var text = ""
    /// Begins with an empty text; the two counts are hints and not used.
    public init(literalCapacity: Int, interpolationCount: Int) {}
    /// Adds what stands between two values.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds a value as it describes itself. `privacy` has no effect: all values are shown.
    public mutating func appendInterpolation<T>(
        _ value: @autoclosure () -> T, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        text += align.place(String(describing: value()))
    }
    /// Adds an integer in the given format.
    public mutating func appendInterpolation<T: BinaryInteger>(
        _ value: @autoclosure () -> T, format: OSLogIntegerFormatting, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        text += align.place(format.text(of: value()))
    }
    /// Adds a floating-point number in the given format.
    public mutating func appendInterpolation<T: BinaryFloatingPoint>(
        _ value: @autoclosure () -> T, format: OSLogFloatFormatting, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        text += align.place(format.text(of: Double(value())))
    }
}

/// Who may read a value. Here everybody may: the log is a test's.
public struct OSLogPrivacy: Sendable {
    /// How Apple hides a value; no effect here.
    public enum Mask: Sendable { case none, hash }
    /// The system decides; here the value is shown.
    public static let auto = OSLogPrivacy()
    /// The value is shown.
    public static let `public` = OSLogPrivacy()
    /// Apple leaves the value out; here it is shown.
    public static let `private` = OSLogPrivacy()
    /// Apple leaves the value out even where private ones are shown; here it is shown.
    public static let sensitive = OSLogPrivacy()
    /// As `auto`: the mask has no effect.
    public static func auto(mask: Mask) -> OSLogPrivacy { auto }
    /// As `private`: the mask has no effect.
    public static func `private`(mask: Mask) -> OSLogPrivacy { auto }
    /// As `sensitive`: the mask has no effect.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { auto }
}

/// How an integer is written. Not modelled: least numbers of digits, signs.
public struct OSLogIntegerFormatting: Sendable {
    private var radix = 10
    private var isUppercase = false
    /// Base 10.
    public static let decimal = OSLogIntegerFormatting()
    /// Base 16, small letters, no prefix.
    public static let hex = OSLogIntegerFormatting(radix: 16)
    /// Base 8, no prefix.
    public static let octal = OSLogIntegerFormatting(radix: 8)
    /// Base 16. `uppercase` has an effect; sign and prefix are not modelled.
    public static func hex(explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false)
        -> OSLogIntegerFormatting
    { OSLogIntegerFormatting(radix: 16, isUppercase: uppercase) }

    private init(radix: Int = 10, isUppercase: Bool = false) { (self.radix, self.isUppercase) = (radix, isUppercase) }
    func text<T: BinaryInteger>(of value: T) -> String { String(value, radix: radix, uppercase: isUppercase) }
}

/// How a floating-point number is written.
public struct OSLogFloatFormatting: Sendable {
    private var precision: Int?
    /// Six digits after the point.
    public static let fixed = OSLogFloatFormatting(precision: 6)
    /// As Swift describes the number: as many digits as tell it from others.
    public static let hybrid = OSLogFloatFormatting(precision: nil)
    /// The given number of digits after the point; 0 to 40, more counts as 40.
    public static func fixed(precision: @autoclosure () -> Int) -> OSLogFloatFormatting {
        OSLogFloatFormatting(precision: precision())
    }
    private init(precision: Int?) { self.precision = precision }
    func text(of value: Double) -> String {
        precision.map { String(format: "%.\(min(max($0, 0), 40))f", value) } ?? "\(value)"
    }
}

/// Spaces that fill a value up to a width. A longer value is not cut.
public struct OSLogStringAlignment: Sendable {
    private var columns = 0
    private var isRight = true
    /// No spaces.
    public static let none = OSLogStringAlignment()
    /// Spaces before the value, up to this many characters; 1000 at most.
    public static func right(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns())
    }
    /// Spaces after the value, up to this many characters; 1000 at most.
    public static func left(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns(), isRight: false)
    }
    private init(columns: Int = 0, isRight: Bool = true) { (self.columns, self.isRight) = (columns, isRight) }
    func place(_ text: String) -> String {
        let space = String(repeating: " ", count: max(0, min(columns, 1000) - text.count))
        return isRight ? space + text : text + space
    }
}
