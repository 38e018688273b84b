import Foundation
import PadApp

/// One transfer. Created suspended: nothing happens before `resume()`.
open class URLSessionTask: @unchecked Sendable {
    /// `running` from `resume()` on, also while the system waits for a network. `completed` when the end is known, just before the
    /// delegate hears of it.
    public enum State: Int, Sendable { case running, suspended, canceling, completed }

    /// Unique in its session, and only there: tasks of another identifier may have the same number. It survives a relaunch; -1 until the
    /// system has taken the task (Apple numbers it at once).
    public internal(set) var taskIdentifier: Int
    /// The app's own words about the task; they survive a relaunch. Set them before `resume()`.
    public var taskDescription: String?
    /// The system waits at least until then. Set it before `resume()`.
    public var earliestBeginDate: Date?
    /// What was asked for. For a task of an earlier launch only the address is known, nil if even that is not.
    public let originalRequest: URLRequest?
    /// The server's answer; nil before it, and where none came.
    public internal(set) var response: URLResponse?
    /// Why the task ended without an answer; nil before its end and after a success.
    public internal(set) var error: (any Error)?
    /// What the app knows of it: an outcome that has not been delivered yet does not show.
    public internal(set) var state: State
    weak var session: URLSession?

    init(id: Int, request: URLRequest?, description: String?, state: State, session: URLSession) {
        taskIdentifier = id
        originalRequest = request
        taskDescription = description
        self.state = state
        self.session = session
    }
    /// Hands the transfer to the system. When it returns in a background session, the system has its own copy of the file (S27).
    open func resume() {}

    /// Ends it: the delegate hears of `URLError.cancelled`. What has ended already is not changed.
    public func cancel() { _ = cancel(resume: false) }

    /// - Returns: resume data, where they were asked for and there are any.
    fileprivate func cancel(resume: Bool) -> Data? {
        guard let session, state == .running || state == .suspended else { return nil }
        guard state == .running, taskIdentifier >= 0 else {
            state = .canceling
            Task { @MainActor in session.complete(self, URLError(.cancelled)) }
            return nil
        }
        state = .canceling
        var body: Value = ["session": .string(session.identifier), "task": .int(taskIdentifier)]
        if resume { body["resume"] = true }
        return AppLink.current.call(TransferMessages.Cancel.name, body)["resumeData"]?.data.map { Data($0) }
    }
}

/// An upload of a background session.
public final class URLSessionUploadTask: URLSessionTask, @unchecked Sendable {
    private let file: URL?

    init(request: URLRequest, file: URL, session: URLSession) {
        self.file = file
        super.init(id: -1, request: request, description: nil, state: .suspended, session: session)
    }
    /// A task of an earlier launch.
    init(known entry: Value, session: URLSession) {
        file = nil
        let request = entry["url"]?.string.flatMap { URL(string: $0) }.map { URLRequest(url: $0) }
        super.init(
            id: Int(clamping: entry["task"]?.int ?? -1), request: request, description: entry["description"]?.string,
            state: .running, session: session)
    }
    public override func resume() {
        if let file { hand(TransferMessages.Upload.name, ["path": .string(file.path)]) }
    }
}

extension URLSessionTask {
    /// Longest time of anything here, in seconds: 7 days.
    private static let longest = 7.0 * 86_400
    static func nanoseconds(_ seconds: TimeInterval) -> Value {
        .int(Int64(min(max(0, seconds), longest) * 1000) * 1_000_000)
    }

    /// Gives the transfer to the system, once.
    fileprivate func hand(_ call: String, _ more: Value = .empty) {
        guard state == .suspended, let session, let request = originalRequest else { return }
        state = .running
        var body = request.body
        for pair in more.object?.pairs ?? [] { body[pair.key] = pair.value }
        body["session"] = .string(session.identifier)
        body["description"] = .string(taskDescription ?? "")
        if let wait = earliestBeginDate?.timeIntervalSinceNow, wait > 0 { body["delay"] = Self.nanoseconds(wait) }
        let limit = session.configuration.timeoutIntervalForResource
        if limit < Self.longest { body["timeout"] = Self.nanoseconds(limit) }
        let oneTry = session.configuration.timeoutIntervalForRequest
        if oneTry != URLRequest.timeoutDefault { body["requestTimeout"] = Self.nanoseconds(oneTry) }
        if session.configuration.isDiscretionary { body["discretionary"] = true }
        if !session.configuration.sessionSendsLaunchEvents { body["launches"] = false }
        let answer = AppLink.current.call(call, body)
        if let error = answer.linkError {
            // The delegate hears a moment later, as on an iPad; who looks at `error` at once sees that nothing was handed over.
            (self.error, state) = (error, .completed)
            Task { @MainActor in session.complete(self, error) }
        } else {
            taskIdentifier = Int(clamping: answer["task"]?.int ?? -1)
            session.running(self)
        }
    }
}

/// A download of a background session: the system fetches, and the app is given a file when it runs again (S137).
public final class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    init(request: URLRequest, session: URLSession) {
        super.init(id: -1, request: request, description: nil, state: .suspended, session: session)
    }
    init(known entry: Value, session: URLSession) {
        let request = entry["url"]?.string.flatMap { URL(string: $0) }.map { URLRequest(url: $0) }
        super.init(
            id: Int(clamping: entry["task"]?.int ?? -1), request: request, description: entry["description"]?.string,
            state: .running, session: session)
    }
    /// One that goes on with what is here already.
    init(resumeData: Data, session: URLSession) {
        self.resumeData = resumeData
        let url = (try? Value(json: Array(resumeData)))?["url"]?.string.flatMap { URL(string: $0) }
        super.init(
            id: -1, request: url.map { URLRequest(url: $0) }, description: nil, state: .suspended, session: session)
    }
    private var resumeData: Data?

    public override func resume() {
        hand(TransferMessages.Download.name, resumeData.map { ["resumeData": .data(Array($0))] } ?? .empty)
    }
    /// As `cancel()`; the handler is given what a later task can go on with, nil when nothing can be used again.
    public func cancel(byProducingResumeData completionHandler: @escaping @MainActor @Sendable (Data?) -> Void) {
        let data = cancel(resume: true)
        Task { @MainActor in completionHandler(data) }
    }
}

/// What a session tells its delegate, on the main actor.
@MainActor public protocol URLSessionDelegate: AnyObject {
    /// All tasks that were known have been reported.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}
/// A task's end. A 4xx or 5xx is a finished transfer without error: look at `task.response` (app-lifecycle.md 7).
@MainActor public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}
/// The body of a task's answer, before its end.
@MainActor public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionTask, didReceive data: Data)
}
/// A downloaded file.
@MainActor public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// Move the file away before this returns: the system removes it then. Look at `downloadTask.response` first: the page of an error is a
    /// file as well.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)
}
extension URLSessionDelegate {
    /// Does nothing.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}
extension URLSessionTaskDelegate {
    /// Does nothing: outcomes are lost.
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {}
}
extension URLSessionDataDelegate {
    /// Does nothing: the body is lost.
    public func urlSession(_ session: URLSession, dataTask: URLSessionTask, didReceive data: Data) {}
}
