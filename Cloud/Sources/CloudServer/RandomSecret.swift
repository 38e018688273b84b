/// A text that nobody can guess: 256 bits of the machine's own luck. The core draws none itself, so the server does.
public enum RandomSecret {
    public static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in String(generator.next(), radix: 16) }.joined(separator: "-")
    }
}
