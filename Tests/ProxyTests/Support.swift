import FleetModel
import Nemesis

@testable import Proxy

func at(milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

/// A window from the start that lasts an hour.
func fault(_ kind: String, pads: [Int] = [], _ parameters: Value = .empty) -> FaultSpec {
    FaultSpec(id: kind, kind: kind, from: .zero, until: .zero + .hours(1), pads: pads, parameters: parameters)
}

let still = LinkModel(least: .zero, most: .zero, bytesPerSecond: 0)

/// Faults that are all active.
func active(_ specs: [FaultSpec], link: LinkModel = still, sources: [String: Int] = [:]) throws -> Faults {
    var faults = try Faults(specs: specs, link: link, seed: 7, sources: sources)
    for index in specs.indices { faults.begin(index) }
    return faults
}

/// A connection whose orders are done at once and noted, with their instants.
struct Talk {
    var conversation = Conversation(pad: 0)
    var faults: Faults
    var now = Instant.zero
    /// What went to each end, and when the newest of it arrives.
    var sent: [End: [UInt8]] = [:]
    var arrival: [End: Instant] = [:]
    var finished: [End: Finish] = [:]
    var finishedAt: [End: Instant] = [:]
    var again: [(String, Instant)] = []

    init(_ specs: [FaultSpec] = []) throws { faults = try active(specs) }

    mutating func say(_ text: String, from end: End) { say(Array(text.utf8), from: end) }
    mutating func say(_ bytes: [UInt8], from end: End) {
        var orders = Orders()
        bytes.withUnsafeBytes { conversation.received($0, from: end, now: now, &faults, &orders) }
        obey(orders, bytes)
    }
    mutating func end(_ end: End) {
        var orders = Orders()
        conversation.ended(end, now: now, &orders)
        obey(orders, [])
    }
    mutating func faultsChanged() {
        var orders = Orders()
        conversation.faultsChanged(now: now, &faults, &orders)
        obey(orders, [])
    }
    private mutating func obey(_ orders: Orders, _ input: [UInt8]) {
        for order in orders.list {
            switch order {
            case .send(let end, let bytes, let at):
                guard finished[end] == nil else { continue }
                if case .input(let range) = bytes { sent[end, default: []] += input[range] }
                if case .own(let own) = bytes { sent[end, default: []] += own }
                arrival[end] = at
            case .finish(let end, let how, let at):
                guard finished[end] == nil else { continue }
                (finished[end], finishedAt[end]) = (how, at)
            case .again(let bytes, let at): again.append((String(decoding: bytes, as: UTF8.self), at))
            }
        }
    }
    func text(_ end: End) -> String { String(decoding: sent[end] ?? [], as: UTF8.self) }
}

let get = "GET /kvs/1 HTTP/1.1\r\nHost: cloud\r\nX-Homeroom-Device: ipad-3\r\n\r\n"
let post =
    "POST /database/1 HTTP/1.1\r\nHost: cloud\r\nX-Homeroom-Device: ipad-3\r\nContent-Length: 11\r\n\r\nhello world"
let ok = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfine!"
