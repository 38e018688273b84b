/// One thing that a source needs and a run on Linux does not have as it is.
public struct Finding: Equatable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The line does not compile.
        case change
        /// It compiles, and ends a run with a message when it is reached.
        case stops
        /// It compiles, and does less than on an iPad.
        case differs
    }
    public var kind: Kind
    public var file: String
    /// From 1.
    public var line: Int
    public var column: Int
    /// What the source calls it: `UIApplication.applicationIconBadgeNumber`.
    public var name: String
    public var why: String
    public var advice: String
}

/// A source of an author, by its path in their folder.
public struct SourceFile: Sendable {
    public var path: String
    public var text: String
    public init(path: String, text: String) { (self.path, self.text) = (path, text) }
}

/// An import of a folder, with what it is here.
public struct Import: Equatable, Sendable {
    public enum State: String, Sendable { case linux, homeroom, missing, package }
    public var module: String
    public var state: State
    /// Paths of the files.
    public var files: [String]
    public var advice: String
}
