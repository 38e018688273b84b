/// A place in a scenario file: line and column from 1.
public struct FilePlace: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var line: Int
    public var column: Int
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
    public var description: String { "\(line):\(column)" }
    public static func < (a: FilePlace, b: FilePlace) -> Bool { (a.line, a.column) < (b.line, b.column) }
}

/// One thing that is wrong in a scenario file.
public struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    public var file: String
    public var place: FilePlace
    /// What is wrong and what would be right.
    public var message: String
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
    public var errors: [ScenarioError]
    public init(_ errors: [ScenarioError]) { self.errors = errors }
    /// One line an error.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// Why the declaration of a program cannot be used: file and reason.
public struct DeclarationRefusal: Error, Hashable, Sendable {
    public var message: String
    public init(_ message: String) { self.message = message }
}
