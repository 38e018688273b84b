/// `POST /keychain/v1/sync`: the caller's synchronised keychain items; the newest modification wins (identity.md 5).
enum SyncKeychain {
    /// Name in the table of entries; no key-value store has it, those begin with `kvs/`.
    static let store = "keychain"

    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        try StampedStore(channel: .keychain, store: store, service: .keychain, topic: "").sync(call, work)
    }
}
