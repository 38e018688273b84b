import Foundation

/// The older call, with C's conversions (os, "os_log"). `%{public}@` and its like lose what is in braces.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: any CVarArg...
) {
    log.write(type.word, formatted(message, args))
}
/// The same with the type first, as newer code calls it.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
    _ args: any CVarArg...
) {
    log.write(type.word, formatted(message, args))
}
/// The same with the arguments in one array: for a function that passes on what it was given.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func os_log(_ message: StaticString, log: OSLog, type: OSLogType, _ args: [any CVarArg]) {
    log.write(type.word, formatted(message, args))
}
/// A message with values, at the level notice, without a category.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func os_log(_ message: OSLogMessage) { OSLog.default.write("notice", message.text) }
/// A message with values, at the level of the type.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(type.word, message.text)
}

/// Each conversion takes its argument as it describes itself: C's own would read the machine's memory where a type does not fit.
func formatted(_ message: StaticString, _ arguments: [any CVarArg]) -> String {
    var rest = Substring(message.description)
    var left = arguments[...]
    var text = ""
    while let percent = rest.firstIndex(of: "%") {
        text += rest[..<percent]
        rest = rest[percent...].dropFirst()
        if rest.first == "%" {
            text += "%"
            rest = rest.dropFirst()
            continue
        }
        if rest.first == "{" { rest = rest.drop { $0 != "}" }.dropFirst() }
        rest = rest.drop { "0123456789.-+# 'hlqztjL".contains($0) }.dropFirst()
        text += left.popFirst().map { "\($0)" } ?? "<no value>"
    }
    return text + rest
}
