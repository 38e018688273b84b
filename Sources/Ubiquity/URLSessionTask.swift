import Foundation
import PadApp

/// One transfer. Created suspended: nothing happens before `resume()`.
open class URLSessionTask: @unchecked Sendable {
    public enum State: Int, Sendable { case running, suspended, canceling, completed }

    /// Unique in its session; -1 until the system has taken the task (Apple numbers it at once).
    public internal(set) var taskIdentifier: Int
    /// The app's own words about the task; they survive a relaunch. Set them before `resume()`.
    public var taskDescription: String?
    /// The system waits at least until then. Set it before `resume()`.
    public var earliestBeginDate: Date?
    public let originalRequest: URLRequest?
    public internal(set) var response: URLResponse?
    public internal(set) var error: (any Error)?
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
        guard state == .suspended, let file, let session, let request = originalRequest else { return }
        state = .running
        var body = request.body
        body["session"] = .string(session.identifier)
        body["path"] = .string(file.path)
        body["description"] = .string(taskDescription ?? "")
        if let wait = earliestBeginDate?.timeIntervalSinceNow, wait > 0 {
            body["delay"] = .int(Int64(min(wait, 7 * 86_400) * 1000) * 1_000_000)
        }
        let answer = AppLink.current.call("transfer.upload", body)
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
extension URLSessionDelegate {
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}
extension URLSessionTaskDelegate {
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {}
}
extension URLSessionDataDelegate {
    public func urlSession(_ session: URLSession, dataTask: URLSessionTask, didReceive data: Data) {}
}
