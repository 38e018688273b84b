import FleetModel

/// The digest by which a client tells one content from another: 16 hex digits of the stable hash. Not for secrets.
enum Digest {
    static func of(_ bytes: [UInt8]) -> String {
        var hash = StableHash()
        hash.add(bytes)
        return Hex.text(hash.value)
    }
}
