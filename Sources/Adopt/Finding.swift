/// One thing that a source needs and a run on Linux does not have as it is.
public struct Finding: Equatable, Sendable {
    /// What the finding means for somebody who builds and runs the source.
    public enum Kind: String, Sendable, CaseIterable {
        /// The line does not compile.
        case change
        /// It compiles, and ends a run with a message when it is reached.
        case stops
        /// It compiles, and does less than on an iPad.
        case differs
    }
    /// How bad it is.
    public var kind: Kind
    /// Path of the source in its folder.
    public var file: String
    /// From 1.
    public var line: Int
    /// From 1.
    public var column: Int
    /// What the source calls it: `UIApplication.applicationIconBadgeNumber`.
    public var name: String
    /// Why it is not here as it is, in one clause.
    public var why: String
    /// What to write instead.
    public var advice: String
}

/// A source of an author, by its path in their folder.
public struct SourceFile: Sendable {
    /// In the author's folder, with `/` between its parts.
    public var path: String
    /// The whole source.
    public var text: String
    /// Both as they were read: nothing is changed.
    public init(path: String, text: String) { (self.path, self.text) = (path, text) }
}

/// An import of a folder, with what it is here.
public struct Import: Equatable, Sendable {
    /// Where the module comes from: Linux itself, Homeroom, nowhere, or a target or package that is the author's to bring.
    public enum State: String, Sendable { case linux, homeroom, missing, package }
    /// Its name as the source writes it.
    public var module: String
    /// What it is here.
    public var state: State
    /// Paths of the files.
    public var files: [String]
    /// What to do about it.
    public var advice: String
}
