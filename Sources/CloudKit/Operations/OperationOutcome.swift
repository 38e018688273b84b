import Foundation

/// What an operation over items came to: the one place from which the blocks of Apple's both generations follow, so that they cannot say
/// different things.
///
/// The newer blocks are given a `Result` for each item and one for the whole, the older ones what went well and an error that holds those of the
/// items (`CKPartialErrorsByItemIDKey`). ASSUMED: with an error the older ones are given what did go well, nothing as an empty list.
struct OperationOutcome {
    private(set) var errors: [AnyHashable: any Error] = [:]
    /// What befell the operation as a whole.
    private(set) var failure: (any Error)?

    init(_ failure: (any Error)? = nil) { self.failure = failure }

    mutating func add<T>(_ id: AnyHashable, _ result: Result<T, any Error>) {
        if case .failure(let error) = result { errors[id] = error }
    }
    mutating func fail(_ error: any Error) { failure = failure ?? error }

    /// For the older blocks.
    func error(of operation: CKOperation) -> (any Error)? {
        if operation.isCancelled { return CKOperation.cancelled }
        return failure ?? (errors.isEmpty ? nil : CKError.partial(errors))
    }
    /// For the newer ones.
    func result(of operation: CKOperation) -> Result<Void, any Error> {
        error(of: operation).map { .failure($0) } ?? .success(())
    }
}

extension Result where Failure == any Error {
    /// The value and the error as the older blocks take them: one of them is nil.
    var parts: (value: Success?, error: (any Error)?) {
        switch self {
        case .success(let value): (value, nil)
        case .failure(let error): (nil, error)
        }
    }
}
