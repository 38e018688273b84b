/// A participant whose state can be looked at: what the debugger shows (Docs/debug.md).
///
/// Looking changes nothing: neither the state nor the entropy nor what comes next. What is shown is for people, and no other participant ever
/// sees it.
public protocol Inspectable: AnyObject {
    /// Answers a question about the present state.
    ///
    /// - Parameter question: `state`; of a participant with volumes also `files`, `file`, `tables` and `sql`, with the member `volume`.
    /// - Returns: a tree; nil for a question that it does not know. `{error}` says why there is no answer.
    func inspect(_ question: Message) -> Value?
}
