import CloudLoad
import FleetModel
import Foundation
import Testing

@testable import CloudServer

@Suite("Malformed requests over HTTP", .timeLimit(.minutes(20)))
struct MalformedTests {
    @Test("Each is refused with a 4xx error object, none hangs, memory stays (10,000 requests, seed 1)")
    func generated() async throws {
        let live = try LiveServer()
        let (faults, counts, growth) = try await live.run { port in
            var malformed = Malformed(seed: 1)
            var (faults, counts): ([String], [String: Int]) = ([], [:])
            var connection: Connection?
            var (early, late) = (0, 0)
            for round in 0..<10_000 {
                if round == 2_000 { early = Machine.memoryKiB() }
                let probe = malformed.next()
                counts[probe.kind, default: 0] += 1
                if let fault = Self.answer(to: probe, port, &connection) {
                    let text = String(decoding: probe.bytes.prefix(200), as: UTF8.self)
                    faults.append("\(round) \(probe.kind) \(text): \(fault)")
                }
                if faults.count > 3 { break }
            }
            late = Machine.memoryKiB()
            return (faults, counts, late - early)
        }
        #expect(faults == [])
        #expect(counts.count == 9)
        // Other tests run in the same process meanwhile.
        #expect(growth < 200 * 1024, "KiB more after 8,000 requests")
        print(
            "malformed requests: \(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }), \(growth) KiB more"
        )
    }

    private static func answer(to probe: Malformed.Probe, _ port: Int, _ connection: inout Connection?) -> String? {
        var problem = "no answer"
        // A connection that was closed after the last answer is not this request's fault.
        for _ in 0..<2 {
            do {
                let present = try connection ?? Connection(port: port, patience: 2)
                connection = present
                var overtaken = 0
                present.onSilence = {
                    guard overtaken < 1000 else { return false }
                    let served = overtake(port)
                    overtaken += served
                    return served > 0
                }
                // A server that has refused may close before everything is sent.
                do { try present.write(probe.bytes) } catch  where !probe.endsConnection { throw error }
                let answer = try present.response()
                if probe.endsConnection || answer.headers["Connection"]?.lowercased() == "close" { connection = nil }
                return Malformed.fault(answer)
            } catch {
                problem = "\(error)"
                connection = nil
                if (error as? ConnectionError)?.isSilence == true { break }
            }
        }
        return problem
    }
    /// What hangs is known by those who come later and are served before it, or by nobody's being served at all: how long that
    /// takes says only how busy the machine is.
    /// - Returns: requests that the core has answered since.
    private static func overtake(_ port: Int) -> Int {
        guard let person = try? Person(port: port, name: "overtaking") else { return 0 }
        return (0..<100).count { _ in (try? person.call("zones/list", .empty)["zones"]) != nil }
    }

    @Test("Body without end: refused while it streams in, for JSON and for files", arguments: [true, false])
    func streaming(_ isJSON: Bool) async throws {
        let live = try LiveServer()
        let (status, sent, growth, isSilent) = try await live.run { port in
            let connection = try Connection(port: port)
            let target =
                isJSON
                ? "/database/1/iCloud.com.example.fuzz/development/private/zones/lookup?ckAPIToken=dev&ckWebAuthToken=person%3Amaya"
                : "/assets/v1/upload/guess"
            try connection.write(Array("POST \(target) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
            let chunk = Array("100000\r\n".utf8) + Array(repeating: 0x20, count: 0x100000) + [13, 10]
            let before = Machine.memoryKiB()
            var (sent, isSilent) = (0, false)
            // 40 GB, if the server would take them; it closes a while after it has answered.
            for _ in 0..<40_000 {
                do { try connection.write(chunk) } catch {
                    isSilent = (error as? ConnectionError)?.isSilence == true
                    break
                }
                sent += 1
            }
            return ((try? connection.response())?.status, sent, Machine.memoryKiB() - before, isSilent)
        }
        if let status { #expect(status == 400) }
        #expect(!isSilent, "it neither takes nor refuses more")
        #expect(sent < 40_000, "MB taken")
        #expect(growth < 300 * 1024, "KiB")
    }
}
