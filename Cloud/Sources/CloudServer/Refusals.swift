import FleetModel
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Refuses as the rest of the server does what the HTTP parser cannot read, and ends a connection whose body nobody wants.
///
/// A request that is no HTTP never comes to `Server.respond`: the web server answers it by an empty 400, which gets its
/// body here. An answer with `Connection: close` is the last one though the client may go on sending.
final class Refusals: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var isLast = false
    /// Until then the client may read the answer; who closes at once may take it out of the client's hands (RFC 9112 9.6).
    private static let linger = TimeAmount.seconds(1)

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isLast = head.headerFields[.connection]?.lowercased() == "close"
            guard head.status.code >= 400, head.headerFields[.contentType] == nil else { break }
            return refuse(head, context, promise)
        case .end where isLast:
            context.writeAndFlush(data, promise: promise)
            context.close(mode: .output, promise: nil)
            let channel = context.channel
            context.eventLoop.scheduleTask(in: Self.linger) { channel.close(promise: nil) }
            return
        default: break
        }
        context.write(data, promise: promise)
    }
    private func refuse(
        _ head: HTTPTypes.HTTPResponse, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        let answer = Server.refusal(
            "BAD_REQUEST", 400, "this is no HTTP request: its first line, its headers or its length are broken")
        var head = head
        head.headerFields[.contentType] = "application/json; charset=utf-8"
        head.headerFields[.contentLength] = String(answer.body.count)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: answer.body))), promise: promise)
    }

    /// What parses and yet makes no request (an odd verb) is refused in the same way.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error is HTTPParserError ? error : HTTPParserError.invalidMethod)
    }
}
