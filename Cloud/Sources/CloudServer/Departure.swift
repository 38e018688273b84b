import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Tells when the client of one connection has gone: it closed the connection, or its own half of it.
final class Departure: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny
    private struct State {
        var isGone = false
        /// What ends when it goes; a connection has one request at a time.
        var waiting: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The server keeps the other half open, for those who read the answer yet; nobody waits so for a push.
        if case .inputClosed? = event as? ChannelEvent { leave() }
        context.fireUserInboundEventTriggered(event)
    }
    private func leave() {
        let waiting = state.withLock { state in
            state.isGone = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?()
    }

    /// Runs `body`, whose task is cancelled when the client goes, or has gone already.
    func ending<T: Sendable>(_ body: @escaping @Sendable () async -> T) async -> T {
        let task = Task { await body() }
        let isGone = state.withLock { state in
            state.waiting = { task.cancel() }
            return state.isGone
        }
        if isGone { task.cancel() }
        defer { state.withLock { $0.waiting = nil } }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// A request with the connection on which it came.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
    /// A client that waits for permission may send the body now (`Expectation`).
    func wantBody() { channel.triggerUserOutboundEvent(Expectation.BodyIsWanted(), promise: nil) }
    /// Nil for a connection that is being taken down.
    var departure: Departure? {
        get async { try? await channel.pipeline.handler(type: Departure.self).get() }
    }
}
