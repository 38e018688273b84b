import FleetModel

/// An end of a proxied connection.
enum End: Hashable, CaseIterable {
    case client, target
    var other: End { self == .client ? .target : .client }
}

/// What the edge shall do; orders for one end are done one after the other, each when its instant has come.
enum Order: Hashable {
    case send(End, Bytes, at: Instant)
    /// No more bytes to this end.
    case finish(End, Finish, at: Instant)
    /// The same request once more, on a connection of its own; what is answered interests nobody.
    case again([UInt8], at: Instant)
}

/// How a stream ends.
enum Finish: Hashable {
    /// After everything that was sent before.
    case orderly
    /// The peer sees a reset.
    case reset
}

/// Orders under construction: neighbouring bytes for the same end and instant become one order, so that one call sends them.
struct Orders {
    private(set) var list: [Order] = []

    mutating func removeAll() { list.removeAll(keepingCapacity: true) }

    mutating func send(_ end: End, _ bytes: Bytes, at: Instant) {
        if case .input(let range) = bytes, case .send(end, .input(let before), at)? = list.last,
            before.upperBound == range.lowerBound
        {
            list[list.count - 1] = .send(end, .input(before.lowerBound..<range.upperBound), at: at)
        } else if bytes.count > 0 {
            list.append(.send(end, bytes, at: at))
        }
    }
    mutating func finish(_ end: End, _ how: Finish, at: Instant) { list.append(.finish(end, how, at: at)) }
    mutating func again(_ bytes: [UInt8], at: Instant) { list.append(.again(bytes, at: at)) }
}
