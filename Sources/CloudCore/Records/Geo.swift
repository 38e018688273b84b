import FleetModel

/// Distances on the globe (cloudkit-web-services.md 8.7). The sine is computed here: the core needs no library, and equal
/// runs give equal bits.
enum Geo {
    /// Mean radius, metres.
    private static let radius = 6_371_008.8

    static func isLocation(_ value: Value) -> Bool {
        guard let latitude = value["latitude"]?.double, let longitude = value["longitude"]?.double else { return false }
        return abs(latitude) <= 90 && abs(longitude) <= 180
    }

    /// Great-circle distance, metres; nil when one of the two is no location.
    static func distance(_ a: Value?, _ b: Value?) -> Double? {
        guard let a, let b, isLocation(a), isLocation(b), let p = point(a), let q = point(b) else { return nil }
        let (dx, dy, dz) = (p.x - q.x, p.y - q.y, p.z - q.z)
        let chord = min(2, (dx * dx + dy * dy + dz * dz).squareRoot())
        return 2 * radius * arcSine(chord / 2)
    }

    private static func point(_ location: Value) -> (x: Double, y: Double, z: Double)? {
        guard let latitude = location["latitude"]?.double, let longitude = location["longitude"]?.double else {
            return nil
        }
        let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
        let ring = sine(phi + .pi / 2)
        return (ring * sine(lambda + .pi / 2), ring * sine(lambda), sine(phi))
    }

    /// Sine of an angle within three turns.
    private static func sine(_ angle: Double) -> Double {
        var x = angle.remainder(dividingBy: 2 * .pi)
        // sin(x) = sin(pi - x): the series is then short.
        if x > .pi / 2 { x = .pi - x } else if x < -.pi / 2 { x = -.pi - x }
        var (term, sum) = (x, x)
        for n in stride(from: 2.0, through: 24.0, by: 2.0) {
            term *= -x * x / (n * (n + 1))
            sum += term
        }
        return sum
    }
    /// Inverse of the sine for 0...1, by Newton's method on the sine; near 1 through the other half of the angle.
    private static func arcSine(_ y: Double) -> Double {
        if y > 0.8 { return .pi / 2 - 2 * arcSine(((1 - y) / 2).squareRoot()) }
        var x = y
        for _ in 0..<8 { x -= (sine(x) - y) / sine(x + .pi / 2) }
        return x
    }
}
