/// Background sessions, and requests in the foreground (app-lifecycle.md 7).
public enum TransferMessages {
    static let all: [any LocalMessage.Type] = [
        Upload.self, Download.self, Cancel.self, Tasks.self, Send.self, Completed.self,
    ]

    /// What an app wants transferred.
    public struct Wish: FieldGroup {
        public var delay: Int64?
        public var description: String?
        public var discretionary: Bool?
        public var headers: Value?
        public var launches: Bool?
        public var method = ""
        public var requestTimeout: Int64?
        public var session = ""
        public var timeout: Int64?
        public var url = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            visitHead(&fields)
            visitTail(&fields)
        }
        /// The members before and after those of an upload or a download, in the order of their keys.
        mutating func visitHead(_ fields: inout Fields) {
            fields.optional("delay", &delay, "ns to wait before the first attempt: `earliestBeginDate`")
            fields.checked("description", &description)
            fields.optional(
                "discretionary", &discretionary, "waits for power and Wi-Fi; begun in the background always")
            fields.optional("headers", &headers, "{name: value}")
            fields.optional("launches", &launches, "false: no launch for its end")
            fields.required("method", &method)
        }
        mutating func visitTail(_ fields: inout Fields) {
            fields.optional("requestTimeout", &requestTimeout, "ns: one try")
        }
        mutating func visitEnd(_ fields: inout Fields) {
            fields.required("session", &session)
            fields.optional("timeout", &timeout, "ns: `timeoutIntervalForResource`, 7 days at most")
            fields.required("url", &url)
        }
    }
    /// The number of a task in its session, from 1, over launches too.
    public struct Task: FieldGroup, Hashable {
        public var task: Int64 = 0
        public init() {}
        public init(_ task: Int64) { self.task = task }
        public mutating func visit(_ fields: inout Fields) { fields.always("task", &task) }
    }
    public struct Upload: LocalCall {
        public static var name: String { "transfer.upload" }
        public static var isDurable: Bool { true }
        public static var about: String { "the Pad has its own clone of the file, journaled: `handedOver`" }
        public typealias Answer = Task
        public var path = ""
        public var wish = Wish()
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            wish.visitHead(&fields)
            fields.required("path", &path, "body file")
            wish.visitTail(&fields)
            wish.visitEnd(&fields)
        }
    }
    public struct Download: LocalCall {
        public static var name: String { "transfer.download" }
        public static var about: String { "the Pad fetches, in ranges" }
        public typealias Answer = Task
        public var resumeData: [UInt8]?
        public var wish = Wish()
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            wish.visitHead(&fields)
            wish.visitTail(&fields)
            fields.optional("resumeData", &resumeData, "of a cancelled download")
            wish.visitEnd(&fields)
        }
    }
    public struct Cancel: LocalCall {
        public static var name: String { "transfer.cancel" }
        public static var about: String { "`transfer.completed` with -999 ends it" }
        public struct Answer: FieldGroup {
            public var resumeData: [UInt8]?
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.optional("resumeData", &resumeData) }
        }
        public var resume: Bool?
        public var session = ""
        public var task: Int64 = 0
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("resume", &resume)
            fields.required("session", &session)
            fields.required("task", &task)
        }
    }
    public struct Tasks: LocalCall {
        public static var name: String { "transfer.tasks" }
        public static var about: String { "not yet finished or not yet delivered" }
        public struct Entry: FieldGroup, Hashable {
            public var description = ""
            public var download = false
            public var task: Int64 = 0
            public var url = ""
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("description", &description)
                fields.unless(false, "download", &download)
                fields.always("task", &task)
                fields.always("url", &url)
            }
        }
        public struct Answer: FieldGroup {
            public var tasks: [Entry] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("tasks", &tasks) }
        }
        public var session = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.required("session", &session) }
    }
    public struct Completed: LocalQuestion {
        public static var name: String { "transfer.completed" }
        public static var about: String { "the answer lets the Pad forget the task" }
        public var data: [UInt8]?
        public var description = ""
        public var error: Value?
        public var location: String?
        public var session = ""
        public var status: Int?
        public var task: Int64 = 0
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("data", &data)
            fields.always("description", &description)
            fields.optional("error", &error)
            fields.optional(
                "location", &location, "of a download instead of `data`: a file that goes with the answer")
            fields.always("session", &session)
            fields.optional("status", &status)
            fields.always("task", &task)
        }
    }
    public struct Send: LocalAsk {
        public static var name: String { "http.send" }
        public static var about: String { "or an error of NSURLErrorDomain; fails when the app is suspended" }
        public struct Answer: FieldGroup {
            public var data: [UInt8] = []
            public var headers = Value.Object()
            public var status = 0
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("data", &data)
                fields.always("headers", &headers)
                fields.always("status", &status)
            }
        }
        public var data: [UInt8]?
        public var headers: Value?
        public var method = ""
        public var timeout: Int64?
        public var url = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("data", &data)
            fields.optional("headers", &headers, "{name: value}")
            fields.required("method", &method)
            fields.optional("timeout", &timeout, "ns; 60 s")
            fields.required("url", &url)
        }
    }
}
