import FleetModel

/// A person of a development server, with a connection of his own; for one thread.
public final class Person {
    private let port: Int
    private let query: String
    private let connection: Connection
    public static let zone: Value = ["zoneName": "Z"]

    public init(port: Int, name: String = "maya") throws {
        self.port = port
        query = "?ckAPIToken=dev&ckWebAuthToken=person%3A\(name)"
        connection = try Connection(port: port)
    }

    /// Answer of an operation on the private database, whatever its status.
    public func call(_ path: String, _ body: Value) throws -> Value {
        do { return try Value(json: bytes(path, body)) } catch { throw ConnectionError("\(path): \(error)") }
    }
    /// The same unread.
    public func bytes(_ path: String, _ body: Value) throws -> [UInt8] {
        let target = "/database/1/iCloud.com.example.load/development/private/\(path)\(query)"
        return try connection.send(HTTPRequest("POST", target, body: body.jsonBytes)).body
    }
    public func makeZone() throws {
        _ = try call("zones/modify", ["operations": [["operationType": "create", "zone": ["zoneID": Self.zone]]]])
    }
    /// The entry of one record, or the error object.
    public func save(_ record: Value, _ kind: String) throws -> Value {
        let body: Value = [
            "zoneID": Self.zone, "atomic": false, "operations": [["operationType": .string(kind), "record": record]],
        ]
        let answer = try call("records/modify", body)
        return answer["records"]?.array?.first ?? answer
    }
    public func lookup(_ name: String) throws -> Value {
        let answer = try call("records/lookup", ["zoneID": Self.zone, "records": [["recordName": .string(name)]]])
        return answer["records"]?.array?.first ?? answer
    }
    /// Reads a number and saves the next, by the tag it was read with unless `kind` does not compare it.
    /// - Returns: whether it was acknowledged.
    public func increment(_ name: String, kind: String = "update") throws -> Bool {
        let found = try lookup(name)
        let number = found["fields"]?["n"]?["value"]?.int ?? 0
        let record: Value = [
            "recordName": .string(name), "recordType": "Note", "recordChangeTag": found["recordChangeTag"] ?? .null,
            "fields": ["n": ["value": .int(number + 1)]],
        ]
        return try save(record, kind)["serverErrorCode"] == nil
    }
}
