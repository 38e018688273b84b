/// Something that keeps state and can say what must always hold of it.
///
/// A broken invariant is an error of Homeroom, whatever an app, a file or a network does. Participants look after every step of a debug
/// build (`Invariants.areChecked`); the run then ends as a problem of the testbed, at the step that broke it and not where it shows.
public protocol InvariantHolder {
    /// Looks at its own state and changes nothing.
    /// - Throws: what does not hold, with the names and numbers that somebody needs to find out why.
    func checkInvariants() throws(BrokenInvariant)
}

/// What does not hold though it must.
public struct BrokenInvariant: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence that is wrong, with names and numbers.
    public let description: String

    /// A whole sentence: the run's report shows it as it is.
    public init(_ description: String) { self.description = description }
}

/// The switch over all checks of invariants in a process.
public enum Invariants {
    /// Whether participants look at their invariants after each step: in debug builds, and in tests with it.
    public static let areChecked = _isDebugAssertConfiguration()
}

/// One line of `InvariantHolder.checkInvariants`.
/// - Parameter what: the sentence that is wrong when it does not hold: what is the case, and what it contradicts.
public func invariant(_ holds: Bool, _ what: @autoclosure () -> String) throws(BrokenInvariant) {
    guard holds else { throw BrokenInvariant(what()) }
}

/// Whether elements stand in ascending order, none of them twice.
public func isAscending<Elements: Sequence>(_ elements: Elements) -> Bool where Elements.Element: Comparable {
    var last: Elements.Element?
    for element in elements {
        if let last, last >= element { return false }
        last = element
    }
    return true
}
