import Hummingbird
import NIOCore
import Synchronization

/// The bytes of request bodies that are in memory, of all connections together: who comes when there are too many is told to
/// come again.
final class BodyBudget: Sendable {
    /// ASSUMED: eight of the largest JSON bodies.
    static let bytesMax = 256 << 20

    private let limit: Int
    private let taken = Mutex(0)

    init(limit: Int = BodyBudget.bytesMax) { self.limit = limit }

    var bytes: Int { taken.withLock { $0 } }

    /// Why a body is not taken.
    enum Refusal: Error { case tooLong, broken, crowded }

    /// Reads a body as it comes: what waits in a client takes nothing of the budget. Its share is given back after `use`.
    func reading<T: Sendable>(
        _ body: RequestBody, upTo bytesMax: Int, _ use: ([UInt8]) async -> T
    ) async throws(Refusal) -> T {
        var bytes: [UInt8] = []
        defer { taken.withLock { $0 -= bytes.count } }
        do {
            for try await part in body {
                guard bytes.count + part.readableBytes <= bytesMax else { throw Refusal.tooLong }
                guard take(part.readableBytes) else { throw Refusal.crowded }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch {
            throw error as? Refusal ?? .broken
        }
        return await use(bytes)
    }
    private func take(_ bytes: Int) -> Bool {
        taken.withLock { taken in
            guard taken <= limit - bytes else { return false }
            taken += bytes
            return true
        }
    }
}
