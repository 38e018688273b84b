/// A place in a scenario file: line and column from 1.
public struct FilePlace: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// From 1.
    public var line: Int
    /// From 1, in characters.
    public var column: Int
    /// From its parts.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
    /// `line:column`, as editors jump to it.
    public var description: String { "\(line):\(column)" }
    /// In the order of the file.
    public static func < (a: FilePlace, b: FilePlace) -> Bool { (a.line, a.column) < (b.line, b.column) }
}

/// One thing that is wrong in a scenario file.
public struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name that was given, as messages show it.
    public var file: String
    /// Where the wrong thing stands.
    public var place: FilePlace
    /// What is wrong and what would be right.
    public var message: String
    /// From its parts.
    public init(file: String, place: FilePlace, message: String) {
        self.file = file
        self.place = place
        self.message = message
    }
    /// One line, whatever text of the file the message quotes.
    public var description: String {
        let plain = message.unicodeScalars.map { scalar -> String in
            let isBreak =
                scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
            return isBreak ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "\(file):\(place): \(plain.joined())"
    }
}

/// Everything that is wrong in a scenario file, in the order of the file; never empty.
public struct ScenarioErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// In the order of the file.
    public var errors: [ScenarioError]
    /// At least one, in the order of the file.
    public init(_ errors: [ScenarioError]) { self.errors = errors }
    /// One line an error.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// Why the declaration of a program cannot be used: file and reason.
public struct DeclarationRefusal: Error, Hashable, Sendable {
    /// What happened, in which file, and what to do next.
    public var message: String
    /// From its message.
    public init(_ message: String) { self.message = message }
}
