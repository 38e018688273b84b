import FleetModel

/// The lines that Homeroom and a program that is an app say to each other, and what the program's declaration holds: what readers check is
/// what the page shows (Docs/app-protocol.md).
public enum AppProtocol {
    /// Raised when a program that was written for an older one could no longer run.
    public static let version: Int64 = 1

    /// What a member of a line holds.
    public enum Form: String, Sendable {
        /// A text; a whole number; an object; a list of anything.
        case text, number, object, list
        /// A text, or null where there is none.
        case textOrNull = "text or null"
        /// A Boolean.
        case flag = "true or false"

        func takes(_ value: Value) -> Bool {
            switch self {
            case .text: value.string != nil
            case .textOrNull: value.string != nil || value.isNull
            case .number: value.int != nil
            case .flag: value.bool != nil
            case .object: value.object != nil
            case .list: value.array != nil
            }
        }
    }

    /// One member of a line or of the declaration.
    public struct Member: Sendable {
        /// The member's name in the line.
        public let name: String
        /// What its value has to be; another form is refused.
        public let form: Form
        /// False: a line may leave it out.
        public let isRequired: Bool
        /// For the page.
        public let meaning: String

        init(_ name: String, _ form: Form, _ meaning: String, isRequired: Bool = true) {
            self.name = name
            self.form = form
            self.isRequired = isRequired
            self.meaning = meaning
        }
        static func optional(_ name: String, _ form: Form, _ meaning: String) -> Member {
            Member(name, form, meaning, isRequired: false)
        }
    }

    /// One kind of line: an object with these members, of which the first names it.
    public struct Line: Sendable {
        /// The first one names the line; never empty.
        public let members: [Member]
        /// What the line says, for the page.
        public let meaning: String
        /// The name of the first member.
        public var name: String { members[0].name }

        init(_ meaning: String, _ members: [Member]) {
            self.meaning = meaning
            self.members = members
        }
    }

    static let launch = Line(
        "the first line of a launch; expects no answer",
        [
            Member(
                "launch", .object, "`protocol`, `app`, `pad`, `seed`, `epoch`, and the members of `HostOrder.launch`")
        ])
    static let step = Line(
        "a moment: something has come, or the timer is due; answered by lines that end with `done`",
        [
            Member("step", .number, "the number of the step in this launch, from 1"),
            Member("now", .number, "virtual ns since the run began"),
            Member(
                "inputs", .list,
                "posts of the iPad in their order, each `{post, body}` and `exchange` where it wants an answer"),
        ])
    static let answer = Line(
        "the answer to a `call`, the next line after it",
        [
            Member("answer", .text, "the name of the call"),
            Member("body", .object, "as the local link says; `error` when the iPad refused"),
        ])
    static let post = Line(
        "sends a message; it leaves with the next `call`, or at the end of the step",
        [
            Member("post", .text, "the message's name"),
            .optional("body", .object, "its members; none: `{}`"),
            .optional(
                "exchange", .number,
                "of an answer: that of the question; of a question: a new number from 1, under which its answer comes"),
        ])
    static let call = Line(
        "asks and waits: the next line that comes is the answer",
        [
            Member("call", .text, "the message's name"), .optional("body", .object, "its members; none: `{}`"),
        ])
    static let done = Line(
        "ends the step",
        [
            Member("done", .number, "the number of the step"),
            .optional("timer", .number, "when to step again if nothing comes before, in virtual ns; none: never"),
        ])

    /// What the program reads.
    public static let toProgram = [launch, step, answer]
    /// What the program prints.
    public static let fromProgram = [post, call, done]

    /// The declaration, a file of JSON next to the program.
    public static let declaration = [
        Member("name", .text, "what scenarios call the app: small letters, digits and hyphens"),
        Member(
            "command", .list,
            "program and arguments; run in the folder of this file, and found by `PATH` if its name has no slash"),
        Member("bundle", .text, "`CFBundleIdentifier`; the iPad keeps the app's data under it"),
        Member("channel", .text, "`record`, `keyValue`, `document`, `upload` or `keychain`"),
        Member(
            "actions", .list,
            "what people do: `{name, kind, verb, prefix}`, and `weight`, `pool` as in [apps.md](apps.md#the-contract)"),
        Member("promises", .object, "`keepsAll`, `lastWriterWins` or `effect`, for each kind"),
        .optional("forEveryone", .list, "kinds that everybody may see"),
        .optional("shared", .list, "kinds that people share with each other by CloudKit shares"),
        .optional("infoPlist", .object, "other members of Info.plist, such as `UIBackgroundModes`"),
        .optional("entitlements", .object, "the entitlements; none: the app's own container and store"),
        .optional("environment", .object, "environment variables in addition to those of this page"),
    ]

    /// Checks an object against what it may hold.
    /// - Returns: what is wrong, in words that follow the name of the place; nil: nothing.
    static func fault(in value: Value, of members: [Member]) -> String? {
        guard let object = value.object else { return "this is not an object (`{...}`)" }
        for member in members {
            guard let given = object[member.name] else {
                if member.isRequired { return "'\(member.name)' is missing: \(plain(member.meaning))" }
                continue
            }
            guard member.form.takes(given) else { return "'\(member.name)' has to be \(words(of: member.form))" }
        }
        let known = members.map(\.name)
        guard let strange = object.keys.first(where: { !known.contains($0) }) else { return nil }
        return "there is no member '\(strange.prefix(40))'; there are \(known.joined(separator: ", "))"
    }
    private static func words(of form: Form) -> String {
        switch form {
        case .object: "an object"
        case .number: "a whole number"
        case .text, .list: "a \(form.rawValue)"
        case .textOrNull, .flag: form.rawValue
        }
    }
    /// A meaning without the marks of the page.
    private static func plain(_ text: String) -> String { text.filter { $0 != "`" } }
}
