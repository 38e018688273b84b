/// How a healthy network link between a Pad and the Cloud behaves. A scenario may set it under `network`.
///
/// ASSUMED: a school's wireless network on an ordinary day.
public struct LinkModel: Hashable, Sendable {
    /// Smallest latency of one way.
    public var least: Span
    /// Latency that nearly all messages stay below; one in fifty takes up to four times as long.
    public var most: Span
    /// Bandwidth of one message's way; 0: unlimited.
    public var bytesPerSecond: Int

    /// 20 to 80 ms and 2 MB a second unless something else is given. ASSUMED, as the model is.
    public init(least: Span = .milliseconds(20), most: Span = .milliseconds(80), bytesPerSecond: Int = 2_000_000) {
        self.least = least
        self.most = most
        self.bytesPerSecond = bytesPerSecond
    }

    /// What a message takes when nothing was drawn: the default of an exhausted schedule tape.
    public var usual: Span { least }
}
