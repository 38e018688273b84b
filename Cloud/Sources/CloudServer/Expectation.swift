import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers `Expect: 100-continue` (RFC 9110 10.1.1): a client that sends a large body first asks so whether it may, and waits, for a
/// second mostly, before it sends it all the same.
///
/// The server answers 100 when it is about to read the body, and no sooner: a request that it refuses by the head alone gets the
/// refusal instead, and the body never travels.
final class Expectation: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Triggered at the channel: the body of the present request is wanted.
    struct BodyIsWanted: Sendable {}

    private var isWaiting = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): isWaiting = head.headerFields[.expect]?.lowercased() == "100-continue"
        // It did not wait.
        case .body, .end: isWaiting = false
        }
        context.fireChannelRead(data)
    }
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyIsWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        if isWaiting {
            isWaiting = false
            context.writeAndFlush(wrapOutboundOut(.head(HTTPTypes.HTTPResponse(status: .continue))), promise: nil)
        }
        promise?.succeed()
    }
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        isWaiting = false
        context.write(data, promise: promise)
    }
}
