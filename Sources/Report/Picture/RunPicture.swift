import FleetModel

/// What a page or an export shows of one run: who was where, what apps did, which faults were at work, and the way of each edit.
///
/// Plain values without any layout, made by `PictureMaker` from a trace. Times are moments of the run; everything is in the order of time.
public struct RunPicture: Hashable, Sendable {
    /// What the run came to.
    public var report: RunReport
    /// What stands on the page's head and no verdict holds.
    public var heading: Heading
    /// iPads by their number, the brand-new ones of the reading too.
    public var pads: [Int] = []
    /// Sessions and states of apps, by their beginnings.
    public var stays: [Stay] = []
    /// The run's phases.
    public var phases: [Phase] = []
    /// Faults in the order in which they began.
    public var faults: [Fault] = []
    /// Edits in the order in which they were invoked.
    public var edits: [Trail] = []
    /// Edits that came to harm, in words; the first of each class first.
    public var stories: [Telling] = []
    /// What was delivered or lost on the way; a trace of `live` holds none.
    public var messages = Messages()
    /// Cuts of power, restarts and marks: moments that belong to no edit.
    public var moments: [Moment] = []
    /// What was read at the end; only where it was asked for (`PictureMaker.Limits.readings`).
    public var readings: [Reading] = []
    /// The last moment of the run.
    public var end: Instant = .zero
    /// What was left out so that the page stays small; nil: nothing.
    public var cut: Cut?

    /// A picture that shows nothing yet; `PictureMaker` fills it.
    public init(report: RunReport, heading: Heading) {
        self.report = report
        self.heading = heading
    }

    /// What only the command knows of a run.
    public struct Heading: Hashable, Sendable {
        /// What the scenario is for, in its author's words.
        public var purpose: String
        /// The executable that wrote the picture.
        public var build: String
        /// The command that repeats the run.
        public var command: String
        /// The trace, as it was given.
        public var trace: String

        /// From its parts.
        public init(purpose: String, build: String, command: String, trace: String) {
            self.purpose = purpose
            self.build = build
            self.command = command
            self.trace = trace
        }
    }

    /// A stretch of time in which one thing was so on an iPad: a person's session, or a state of an app.
    public struct Stay: Hashable, Sendable {
        /// What was so.
        public enum State: String, Hashable, Sendable, CaseIterable {
            /// A person with an account is signed in; a guest is.
            case session, guest
            /// Launched, and not yet on the screen.
            case launched
            /// On the screen; off it and running; off it and standing still.
            case foreground, background, suspended
        }
        /// The iPad's number.
        public var pad: Int
        /// Nil: the iPad itself, whose session it is.
        public var app: AppName?
        /// Who is signed in; nil where the trace does not say.
        public var person: Person?
        /// What was so in this stretch.
        public var state: State
        /// When it began.
        public var from: Instant
        /// When it ended, the run's end for what was so then.
        public var until: Instant
        /// Why the app or the session ended with it: `memory`, `powerCut`; nil: it went on in another state.
        public var ended: String?
    }

    /// `storm`, `calm` and the readings: each lasts until the next one begins.
    public struct Phase: Hashable, Sendable {
        /// The phase's name (Docs/architecture.md).
        public var name: String
        /// When it begins.
        public var from: Instant
    }

    /// A fault at work.
    public struct Fault: Hashable, Sendable {
        /// The name of this fault in its run.
        public var id: String
        /// A name of `homeroom list faults`.
        public var kind: String
        /// Empty: every iPad, or the Cloud.
        public var pads: [Int]
        /// When it began.
        public var from: Instant
        /// When it healed; the same as `from` for one that is open.
        public var until: Instant
        /// It happens at one moment, or it never healed.
        public var isOpen: Bool
    }

    /// One edit and the steps of its way.
    public struct Trail: Hashable, Sendable {
        /// What the person did.
        public var edit: Edit
        /// The iPad it was made on; nil where the history does not say.
        public var pad: Int?
        /// The class of its finding, or `kept`, `superseded` and their like.
        public var ending: String
        /// In the order of time.
        public var steps: [Step]
    }

    /// An edit's story in full.
    public struct Telling: Hashable, Sendable {
        /// What the checkers found.
        public var lossClass: LossClass
        /// Which edit it is about.
        public var token: Token
        /// One line: the class, the edit and its item, by whom and on which iPad.
        public var title: String
        /// One sentence: what happened to the edit.
        public var summary: String
        /// In the order of time; the doomed one is marked.
        public var steps: [Step]
    }

    /// One step of an edit's way: what happened, where, and to which edits.
    public struct Step: Hashable, Sendable {
        /// The kind of the note, or what a reader found: `seen`, `shown`, `missing`, `damaged`.
        public var kind: String
        /// When it happened.
        public var at: Instant
        /// Where it happened: an iPad, the Cloud, the people.
        public var place: ParticipantID
        /// The edits that it is about.
        public var tokens: [Token]
        /// Of a replacement: what took the place.
        public var by: [Token]
        /// Empty where a page with many edits leaves it out.
        public var words: String
        /// Whether this step doomed the edit.
        public var isDoom: Bool
    }

    /// Something that happened to an iPad or to iCloud at one moment: `powerCut`, `cloudCrashed`, `push-lost`.
    public struct Moment: Hashable, Sendable {
        /// The kind of the note, or a mark.
        public var kind: String
        /// When it happened.
        public var at: Instant
        /// The iPad or the Cloud.
        public var place: ParticipantID
    }

    /// One reader's view of one account at the end.
    public struct Reading: Hashable, Sendable {
        /// When it was read.
        public var at: Instant
        /// The iPad it was read on.
        public var place: ParticipantID
        /// Whose account was read.
        public var person: Person
        /// The app that showed it.
        public var app: AppName
        /// `core`, `new` or `again`.
        public var reader: String
        /// False while a download was under way: what is missing may be on its way.
        public var isComplete: Bool
        /// What the app showed.
        public var items: [Item]
    }

    /// What a picture of a large run lacks.
    public struct Cut: Hashable, Sendable {
        /// Messages that are there, those that the trace has, and the time that they are from.
        public var messages: Int
        /// Messages that the trace has.
        public var ofMessages: Int
        /// The first moment that the picture has messages of.
        public var from: Instant
        /// The last moment that the picture has messages of.
        public var until: Instant
        /// Edits that are there, and those that the run had.
        public var edits: Int
        /// Edits that the run had.
        public var ofEdits: Int
    }
}
