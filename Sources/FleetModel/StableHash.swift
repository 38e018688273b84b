/// A hash that is the same in every process and on every machine: draws, tears and entropy streams come from it.
///
/// FNV-1a over the parts, finished by the SplitMix64 mixer. Not for secrets.
public struct StableHash: Sendable {
    /// The FNV-1a state before the finisher; `value` is the hash.
    public private(set) var state: UInt64

    /// Each seed gives a hash of its own.
    public init(_ seed: UInt64 = 0) { state = 0xcbf2_9ce4_8422_2325 ^ seed }

    /// One byte, without an end mark: a list of bytes goes by `add([UInt8])`.
    public mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    /// Eight bytes, the lowest first, on every machine.
    public mutating func add(_ number: UInt64) {
        var rest = number
        for _ in 0..<8 {
            add(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
    /// The UTF-8 and an end mark that UTF-8 never has, so that `ab`, `c` is another list than `a`, `bc`.
    public mutating func add(_ text: String) {
        var copy = text
        copy.withUTF8 { for byte in $0 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 } }
        add(UInt8(0xff))
    }
    /// Eight bytes at a time: whole messages pass here.
    public mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            state = Self.mix(state ^ word)
            at += 8
        }
        while at < bytes.count {
            state = (state ^ UInt64(bytes[at])) &* 0x100_0000_01b3
            at += 1
        }
        add(UInt64(bytes.count))
    }

    /// The hash of all that was added; more may follow.
    public var value: UInt64 { Self.mix(state) }

    /// The SplitMix64 finisher.
    public static func mix(_ number: UInt64) -> UInt64 {
        var z = number &+ 0x9e37_79b9_7f4a_7c15
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
    /// Hash of a list of texts under a seed.
    public static func of(_ seed: UInt64, _ texts: String...) -> UInt64 {
        var hash = StableHash(seed)
        for text in texts { hash.add(text) }
        return hash.value
    }
}

/// A named stream of random numbers (SplitMix64). Streams are split by name, never shared.
public struct Draw: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A stream by its number alone: for one that is drawn from another stream, or made with `StableHash`.
    public init(seed: UInt64) { state = seed }
    /// The stream called `name` under `seed`; other names are independent of it.
    public init(seed: UInt64, name: String) { state = StableHash.of(seed, name) }

    /// The next 64 bits of SplitMix64.
    public mutating func next() -> UInt64 {
        defer { state &+= 0x9e37_79b9_7f4a_7c15 }
        return StableHash.mix(state)
    }
    /// A number in `0..<bound`; 0 when the bound is 0.
    public mutating func below(_ bound: Int) -> Int { bound <= 0 ? 0 : Int(next() % UInt64(bound)) }
    /// True with the given probability.
    public mutating func chance(_ probability: Double) -> Bool { unit() < probability }
    /// Uniform in `0..<1`.
    public mutating func unit() -> Double { Double(next() >> 11) / Double(UInt64(1) << 53) }
    /// Uniform in the range.
    public mutating func span(_ range: ClosedRange<Span>) -> Span {
        let width = range.upperBound.nanoseconds - range.lowerBound.nanoseconds
        return Span(nanoseconds: range.lowerBound.nanoseconds + Int64(Double(width) * unit()))
    }
    /// One element, each as likely as the others; nil, and nothing drawn, where there are none.
    public mutating func pick<T>(_ elements: [T]) -> T? { elements.isEmpty ? nil : elements[below(elements.count)] }
}
