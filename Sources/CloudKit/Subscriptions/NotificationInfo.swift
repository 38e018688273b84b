import Foundation
import PadApp

extension CKSubscription {
    /// How the push looks (cloudkit-web-services.md 8.11). `shouldSendContentAvailable` alone is a silent push; with anything to see or hear
    /// it is a visible one.
    ///
    /// `title` and `shouldSendMutableContent` travel under the framework's names (ASSUMED: the web service's list has neither). Kept for the
    /// app alone, since nobody sees the push: localized titles, subtitles, `collapseIDKey`.
    public final class NotificationInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        /// Texts and lists by their names, as they travel.
        private var texts: [String: String] = [:]
        private var lists: [String: [String]] = [:]
        /// The push has a number for the app's icon; here always 1 (Apple counts).
        public var shouldBadge = false
        /// The push wakes the app: with nothing to see or hear it is a silent one.
        public var shouldSendContentAvailable = false
        /// An extension of the app may change the push before it is shown; here it only travels.
        public var shouldSendMutableContent = false

        public override init() { super.init() }
        /// All at once. Source: CKSubscription.NotificationInfo, Creating Notification Information.
        public convenience init(
            alertBody: String? = nil, alertLocalizationKey: String? = nil,
            alertLocalizationArgs: [CKRecord.FieldKey] = [], title: String? = nil, titleLocalizationKey: String? = nil,
            titleLocalizationArgs: [CKRecord.FieldKey] = [], subtitle: String? = nil,
            subtitleLocalizationKey: String? = nil, subtitleLocalizationArgs: [CKRecord.FieldKey] = [],
            alertActionLocalizationKey: String? = nil, alertLaunchImage: String? = nil, soundName: String? = nil,
            desiredKeys: [CKRecord.FieldKey] = [], shouldBadge: Bool = false, shouldSendContentAvailable: Bool = false,
            shouldSendMutableContent: Bool = false, category: String? = nil, collapseIDKey: String? = nil
        ) {
            self.init()
            texts["alertBody"] = alertBody
            texts["alertLocalizationKey"] = alertLocalizationKey
            texts["title"] = title
            texts["titleLocalizationKey"] = titleLocalizationKey
            texts["subtitle"] = subtitle
            texts["subtitleLocalizationKey"] = subtitleLocalizationKey
            texts["alertActionLocalizationKey"] = alertActionLocalizationKey
            texts["alertLaunchImage"] = alertLaunchImage
            texts["soundName"] = soundName
            texts["category"] = category
            texts["collapseIDKey"] = collapseIDKey
            for (key, list) in [
                ("alertLocalizationArgs", alertLocalizationArgs), ("titleLocalizationArgs", titleLocalizationArgs),
                ("subtitleLocalizationArgs", subtitleLocalizationArgs), ("additionalFields", desiredKeys),
            ] where !list.isEmpty { lists[key] = list }
            self.shouldBadge = shouldBadge
            self.shouldSendContentAvailable = shouldSendContentAvailable
            self.shouldSendMutableContent = shouldSendMutableContent
        }

        /// A text for the person; nil: none. With it the push is a visible one.
        public var alertBody: String? {
            get { texts["alertBody"] }
            set { texts["alertBody"] = newValue }
        }
        /// A key of the app's own texts, in place of `alertBody`.
        public var alertLocalizationKey: String? {
            get { texts["alertLocalizationKey"] }
            set { texts["alertLocalizationKey"] = newValue }
        }
        /// Names of the fields whose values stand in for the places of the localized text.
        public var alertLocalizationArgs: [CKRecord.FieldKey]? {
            get { lists["alertLocalizationArgs"] }
            set { lists["alertLocalizationArgs"] = newValue }
        }
        /// A title above the text; nil: none.
        public var title: String? {
            get { texts["title"] }
            set { texts["title"] = newValue }
        }
        /// A key of the app's own texts, in place of `title`. Kept for the app alone.
        public var titleLocalizationKey: String? {
            get { texts["titleLocalizationKey"] }
            set { texts["titleLocalizationKey"] = newValue }
        }
        /// Names of fields for the title's places. Kept for the app alone.
        public var titleLocalizationArgs: [CKRecord.FieldKey]? {
            get { lists["titleLocalizationArgs"] }
            set { lists["titleLocalizationArgs"] = newValue }
        }
        /// A second line of the title. Kept for the app alone.
        public var subtitle: String? {
            get { texts["subtitle"] }
            set { texts["subtitle"] = newValue }
        }
        /// A key of the app's own texts, in place of `subtitle`. Kept for the app alone.
        public var subtitleLocalizationKey: String? {
            get { texts["subtitleLocalizationKey"] }
            set { texts["subtitleLocalizationKey"] = newValue }
        }
        /// Names of fields for the subtitle's places. Kept for the app alone.
        public var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
            get { lists["subtitleLocalizationArgs"] }
            set { lists["subtitleLocalizationArgs"] = newValue }
        }
        /// A key of the app's own texts for the button.
        public var alertActionLocalizationKey: String? {
            get { texts["alertActionLocalizationKey"] }
            set { texts["alertActionLocalizationKey"] = newValue }
        }
        /// A picture of the app's bundle that is shown while it starts.
        public var alertLaunchImage: String? {
            get { texts["alertLaunchImage"] }
            set { texts["alertLaunchImage"] = newValue }
        }
        /// A sound of the app's bundle, or `default`; nil: none. With it the push is a visible one.
        public var soundName: String? {
            get { texts["soundName"] }
            set { texts["soundName"] = newValue }
        }
        /// Fields that come with the push.
        public var desiredKeys: [CKRecord.FieldKey]? {
            get { lists["additionalFields"] }
            set { lists["additionalFields"] = newValue }
        }
        /// Which of the app's actions the notification offers; nil: none.
        public var category: String? {
            get { texts["category"] }
            set { texts["category"] = newValue }
        }
        /// Of pushes with one value of this field the newest is kept.
        public var collapseIDKey: String? {
            get { texts["collapseIDKey"] }
            set { texts["collapseIDKey"] = newValue }
        }

        private static let sentTexts: Set = [
            "alertBody", "alertLocalizationKey", "alertActionLocalizationKey", "alertLaunchImage", "title", "soundName",
            "category",
        ]
        private static let sentLists: Set = ["alertLocalizationArgs", "additionalFields"]

        var wire: Value { wire(Self.sentTexts, Self.sentLists) }
        /// - Parameters: what is written; nil: all.
        private func wire(_ sentTexts: Set<String>?, _ sentLists: Set<String>?) -> Value {
            var wire: Value = ["shouldSendContentAvailable": .bool(shouldSendContentAvailable)]
            for (key, text) in texts where sentTexts?.contains(key) ?? true { wire[key] = .string(text) }
            for (key, list) in lists where sentLists?.contains(key) ?? true { wire[key] = .strings(list) }
            if shouldBadge { wire["shouldBadge"] = true }
            if shouldSendMutableContent { wire["shouldSendMutableContent"] = true }
            return wire
        }
        convenience init(wire: Value) {
            self.init()
            shouldSendContentAvailable = wire["shouldSendContentAvailable"]?.bool ?? false
            shouldBadge = wire["shouldBadge"]?.bool ?? false
            shouldSendMutableContent = wire["shouldSendMutableContent"]?.bool ?? false
            for pair in wire.object?.pairs ?? [] {
                texts[pair.key] = pair.value.string
                if pair.value.array != nil { lists[pair.key] = pair.value.strings }
            }
        }

        public override func isEqual(_ object: Any?) -> Bool {
            (object as? NotificationInfo)?.wire(nil, nil) == wire(nil, nil)
        }
        public override var hash: Int { wire(nil, nil).hashValue }
        public override var description: String { "<CKNotificationInfo: \(wire(nil, nil).json)>" }
        /// Settings of their own with the same values.
        public func copy(with zone: NSZone? = nil) -> Any { NotificationInfo(wire: wire(nil, nil)) }
        /// Always true.
        public static var supportsSecureCoding: Bool { true }
        /// Writes all of it, also what does not travel.
        public func encode(with coder: NSCoder) {
            coder.encode(Data(wire(nil, nil).encoded) as NSData, forKey: "notificationInfo")
        }
        /// Nil for an archive of something else.
        public convenience init?(coder: NSCoder) {
            guard let data = coder.decodeObject(of: NSData.self, forKey: "notificationInfo"),
                let wire = try? Value(decoding: [UInt8](Data(referencing: data)))
            else { return nil }
            self.init(wire: wire)
        }
    }
}
