import FleetModel

/// One thing that a log from the field knows: what somebody did on a device, or what the app asked and heard.
struct FieldEvent: Hashable {
    enum Deed: Hashable {
        case signIn, signOut
        /// The app's process began; it came to the screen; it left it; it was told that it ends.
        case launch, foreground, background, terminate
        case edit(FieldEdit)
        /// The app asked for something; `answer` has the same name.
        case call(String)
        case answer(String, FieldOutcome)
        /// The device says whether there is a network.
        case network(isThere: Bool)
        /// iCloud's account: `own`, `none`, `other`.
        case account(String)
    }
    /// ms since 1970, by the device's clock.
    var at: Int64
    var device: String
    /// Nil: the person who is signed in there.
    var who: String?
    var deed: Deed
    /// File and line, for messages.
    var place: String
}

/// What is known of an edit.
struct FieldEdit: Hashable {
    /// The app's own name for it; nil: the first that fits.
    var action: String?
    /// As the log calls it; nil: not known.
    var item: String?
    var isDelete = false
}

/// How a call ended, as far as it says something about the world outside of the app.
enum FieldOutcome: Hashable {
    case ok
    /// Certainly not sent; broke or timed out after sending.
    case unreachable, lost
    case unavailable, tooMany, zoneBusy, quota, tokenExpired
    /// A refusal that follows from what was asked: another change tag, no such record.
    case refused
}

extension FieldOutcome {
    /// Of CloudKit. Source: CKError.Code (cloudkit-framework.md 10).
    init(ckError code: Int64) {
        switch code {
        case 3: self = .unreachable
        case 4: self = .lost
        case 6: self = .unavailable
        case 7: self = .tooMany
        case 21: self = .tokenExpired
        case 23: self = .zoneBusy
        case 25: self = .quota
        default: self = .refused
        }
    }
    /// Of URLSession. Source: NSURLErrorDomain, -1009 not connected, -1003 host not found, -1004 cannot connect.
    init(urlError code: Int64) { self = [-1009, -1003, -1004].contains(code) ? .unreachable : .lost }
    /// Of HTTP; 0: no answer.
    init(status: Int64) {
        switch status {
        case 0: self = .lost
        case 200..<300: self = .ok
        case 413, 507: self = .quota
        case 429: self = .tooMany
        case 500...: self = .unavailable
        default: self = .refused
        }
    }
}

/// Logs that belong together, read.
struct FieldRecord {
    /// As the logs name it; nil: they do not.
    var app: String?
    var events: [FieldEvent] = []
    /// What the logs cannot know, for people.
    var remarks: [String] = []
}

/// How much of a log is read. ASSUMED: what is longer is no log of one mishap; nothing is cut off silently.
enum FieldBounds {
    static let fileBytes = 64 << 20
    static let lineBytes = 64 << 10
    static let files = 50
    static let events = 200_000
    static let devices = 100
    static let people = 500
    static let edits = 5_000
}
