/// `POST /kvs/v1/{store}/sync`: one key-value store of the caller.
enum SyncKeyValue {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let name = call.target.path[2]
        return try StampedStore(channel: .keyValue, store: "kvs/\(name)", service: .keyValue, topic: name).sync(
            call, work)
    }
}
