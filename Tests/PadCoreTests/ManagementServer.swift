import FleetModel

@testable import PadCore

/// A management server for one iPad: gives commands, writes down what it is told.
final class ManagementServer {
    /// What the iPad has not answered yet.
    var commands: [(uuid: String, command: Value)] = []
    /// `checkin`, or the status with the command it is about.
    private(set) var told: [String] = []
    private(set) var bodies: [Value] = []
    private(set) var headers: HTTPHeaders = [:]
    /// What comes instead of the next answers; nil: the answer.
    var interferences: [Payload?] = []
    var isUnwelcoming = false
    private var putOff: [String] = []

    func add(_ uuid: String, _ type: String, _ more: Value = .empty) {
        var command = more
        command["RequestType"] = .string(type)
        commands.append((uuid, command))
    }
    func serve(_ request: HTTPRequest) -> Payload? {
        guard request.target.hasPrefix("/mdm/v1/"), request.method == "PUT" else { return nil }
        let body = (try? Value(json: request.body)) ?? .null
        bodies.append(body)
        headers = request.headers
        let (status, uuid) = (body["Status"]?.string ?? "checkin", body["CommandUUID"]?.string ?? "")
        told.append(uuid.isEmpty ? status : "\(status) \(uuid)")
        switch status {
        case "Idle": putOff = []
        case "NotNow": putOff.append(uuid)
        case "checkin": break
        default: commands.removeAll { $0.uuid == uuid }
        }
        if !interferences.isEmpty, let other = interferences.removeFirst() { return other }
        if isUnwelcoming { return .response(HTTPResponse(status: 410)) }
        guard status != "checkin", let next = commands.first(where: { !putOff.contains($0.uuid) }) else {
            return .response(HTTPResponse(status: 200))
        }
        return .response(
            HTTPResponse(status: 200, json: ["CommandUUID": .string(next.uuid), "Command": next.command]))
    }
    /// What was said in one request, from 0; null when there was none.
    func body(_ number: Int) -> Value { bodies.indices.contains(number) ? bodies[number] : .null }
    func takeTold() -> [String] {
        defer { told = [] }
        return told
    }

    /// An iPad whose management server this is.
    func bench(_ configuration: Value = .empty, more: Value = .empty) throws -> PadBench {
        let bench = try PadBench(configuration: configuration, more: more)
        bench.cloud.script = { [self] in serve($0) }
        return bench
    }
}

extension PadBench {
    /// The push of a management server, to the iPad or to who is logged in.
    func callForManagement(_ person: Person? = nil) {
        var body: Value = ["service": "mdm"]
        body["person"] = person.map(Value.string)
        push(body)
    }
}

/// The code of an answer that refuses a management command.
func code(_ answer: Value) -> Int64? { answer["ErrorChain"]?.array?.first?["ErrorCode"]?.int }
