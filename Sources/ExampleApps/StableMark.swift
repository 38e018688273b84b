extension Sequence<UInt8> {
    /// FNV-1a of the bytes: the same on every iPad and in every launch, which Swift's own hash is not.
    var stableMark: UInt64 { reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } }
}
