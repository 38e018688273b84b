import FleetModel

/// What a page or an export shows of one run: who was where, what apps did, which faults were at work, and the way of each edit.
///
/// Plain values without any layout, made by `PictureMaker` from a trace. Times are moments of the run; everything is in the order of time.
public struct RunPicture: Hashable, Sendable {
    public var report: RunReport
    /// What stands on the page's head and no verdict holds.
    public var heading: Heading
    /// iPads by their number, the brand-new ones of the reading too.
    public var pads: [Int] = []
    public var stays: [Stay] = []
    public var phases: [Phase] = []
    public var faults: [Fault] = []
    public var edits: [Trail] = []
    /// Edits that came to harm, in words; the first of each class first.
    public var stories: [Telling] = []
    public var messages = Messages()
    /// Cuts of power, restarts and marks: moments that belong to no edit.
    public var moments: [Moment] = []
    /// What was read at the end; only where it was asked for (`PictureMaker.Limits.readings`).
    public var readings: [Reading] = []
    /// The last moment of the run.
    public var end: Instant = .zero
    /// What was left out so that the page stays small; nil: nothing.
    public var cut: Cut?

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

        public init(purpose: String, build: String, command: String, trace: String) {
            self.purpose = purpose
            self.build = build
            self.command = command
            self.trace = trace
        }
    }

    /// A stretch of time in which one thing was so on an iPad: a person's session, or a state of an app.
    public struct Stay: Hashable, Sendable {
        public enum State: String, Hashable, Sendable, CaseIterable {
            case session, guest
            /// Launched, and not yet on the screen.
            case launched
            case foreground, background, suspended
        }
        public var pad: Int
        /// Nil: the iPad itself, whose session it is.
        public var app: AppName?
        public var person: Person?
        public var state: State
        public var from: Instant
        public var until: Instant
        /// Why the app or the session ended with it: `memory`, `powerCut`; nil: it went on in another state.
        public var ended: String?
    }

    /// `storm`, `calm` and the readings: each lasts until the next one begins.
    public struct Phase: Hashable, Sendable {
        public var name: String
        public var from: Instant
    }

    /// A fault at work.
    public struct Fault: Hashable, Sendable {
        public var id: String
        public var kind: String
        /// Empty: every iPad, or the Cloud.
        public var pads: [Int]
        public var from: Instant
        public var until: Instant
        /// It happens at one moment, or it never healed.
        public var isOpen: Bool
    }

    /// One edit and the steps of its way.
    public struct Trail: Hashable, Sendable {
        public var edit: Edit
        public var pad: Int?
        /// The class of its finding, or `kept`, `superseded` and their like.
        public var ending: String
        public var steps: [Step]
    }

    /// An edit's story in full.
    public struct Telling: Hashable, Sendable {
        public var lossClass: LossClass
        public var token: Token
        public var title: String
        public var summary: String
        public var steps: [Step]
    }

    /// One step of an edit's way: what happened, where, and to which edits.
    public struct Step: Hashable, Sendable {
        /// The kind of the note, or what a reader found: `seen`, `shown`, `missing`, `damaged`.
        public var kind: String
        public var at: Instant
        public var place: ParticipantID
        public var tokens: [Token]
        /// Of a replacement: what took the place.
        public var by: [Token]
        /// Empty where a page with many edits leaves it out.
        public var words: String
        public var isDoom: Bool
    }

    /// Something that happened to an iPad or to iCloud at one moment: `powerCut`, `cloudCrashed`, `push-lost`.
    public struct Moment: Hashable, Sendable {
        public var kind: String
        public var at: Instant
        public var place: ParticipantID
    }

    /// One reader's view of one account at the end.
    public struct Reading: Hashable, Sendable {
        public var at: Instant
        public var place: ParticipantID
        public var person: Person
        public var app: AppName
        /// `core`, `new` or `again`.
        public var reader: String
        public var isComplete: Bool
        public var items: [Item]
    }

    /// What a picture of a large run lacks.
    public struct Cut: Hashable, Sendable {
        /// Messages that are there, those that the trace has, and the time that they are from.
        public var messages: Int
        public var ofMessages: Int
        public var from: Instant
        public var until: Instant
        /// Edits that are there, and those that the run had.
        public var edits: Int
        public var ofEdits: Int
    }
}
