/// The completion handlers of Apple's interface: each method with one is its `async` form, so that both do the same.
///
/// A handler is called on the app's loop, in a task of its own: never before the method has returned, on no particular queue. Source:
/// CKDatabase and CKContainer.
enum Completion {
    /// The older form: a value or an error.
    static func call<T>(
        _ handler: @escaping @Sendable (T?, (any Error)?) -> Void,
        _ body: @escaping @Sendable () async throws -> T
    ) {
        Task {
            let (value, error) = await result(body).parts
            handler(value, error)
        }
    }
    /// The newer form.
    static func call<T>(
        _ handler: @escaping @Sendable (Result<T, any Error>) -> Void,
        _ body: @escaping @Sendable () async throws -> T
    ) {
        Task { handler(await result(body)) }
    }
    private static func result<T>(_ body: () async throws -> T) async -> Result<T, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
