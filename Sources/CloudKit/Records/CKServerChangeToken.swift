import Foundation

/// A position in a zone or a database; opaque. Store it only after the changes that came with it are durable.
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }
    /// Writes the position, for the app's disk.
    public func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: Self.key) }
    /// Nil for an archive of something else: fetch from the beginning then.
    public init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: Self.key) else { return nil }
        self.text = text as String
    }
    private static let key = "token"

    public override func isEqual(_ object: Any?) -> Bool { (object as? CKServerChangeToken)?.text == text }
    public override var hash: Int { text.hashValue }
    public override var description: String { "<CKServerChangeToken: \(text)>" }
    /// Itself: it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
