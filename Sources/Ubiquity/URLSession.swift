import Foundation
import PadApp

/// What a session is for.
public final class URLSessionConfiguration: @unchecked Sendable {
    /// Foreground: transfers end with the app.
    public static var `default`: URLSessionConfiguration { URLSessionConfiguration(identifier: nil) }
    /// As `default`: caches and cookies are not modelled.
    public static var ephemeral: URLSessionConfiguration { URLSessionConfiguration(identifier: nil) }
    /// Background: uploads go on when the app is suspended or killed and after the person signed out (S27, S28).
    /// - Parameter identifier: unique in the app; give the same one after a relaunch.
    public static func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        URLSessionConfiguration(identifier: identifier)
    }
    /// The name of a background session; nil: a foreground session.
    public let identifier: String?
    /// Whether the app is started or resumed when the transfers are done.
    public var sessionSendsLaunchEvents = true
    /// Waits for power and Wi-Fi. What is begun while the app is in the background does so always (app-lifecycle.md 7).
    public var isDiscretionary = false
    /// Seconds until a foreground request fails (`URLError.timedOut`), where the request has no time of its own; in a background session
    /// nothing fails: the system tries again.
    public var timeoutIntervalForRequest: TimeInterval = URLRequest.timeoutDefault
    /// Seconds after which the system gives a background transfer up (`URLError.timedOut`); 7 days at most.
    public var timeoutIntervalForResource: TimeInterval = 7 * 86_400

    private init(identifier: String?) { self.identifier = identifier }
}

/// Transfers to the app's own backend.
///
/// A background session meets its earlier tasks again: make it at launch, before anything else, and their outcomes are given to the
/// delegate. Make one of an identifier: several that live at a time have the same tasks, and the delegate of the first is told of all of
/// them (ASSUMED: Apple leaves it undefined, and warns). An outcome may be given twice (a kill between outcome and answer). Delegate
/// methods come on the main actor. Not modelled: redirects, authentication challenges, delegate queues (everything runs on the app's loop).
public final class URLSession: @unchecked Sendable {
    /// A foreground session without a delegate.
    public static var shared: URLSession { AppLink.current.singleton { URLSession(configuration: .default) } }

    /// As it was given. What is changed in it later has an effect on later tasks (Apple copies it).
    public let configuration: URLSessionConfiguration
    /// Held weakly: keep it alive, or outcomes go nowhere.
    public private(set) weak var delegate: (any URLSessionDelegate)?
    var identifier: String { configuration.identifier ?? "" }
    private let link = AppLink.current
    private let shared: SharedSession
    private var tasks: [Int: URLSessionTask] {
        get { shared.tasks }
        set { shared.tasks = newValue }
    }

    /// A session without a delegate: outcomes of background tasks are lost with it.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }
    /// - Parameter delegate: held weakly (Apple holds it until the session is invalidated, which is not modelled).
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        self.configuration = configuration
        self.delegate = delegate
        guard let identifier = configuration.identifier else {
            shared = SharedSession()
            return
        }
        shared = SharedSession.of(identifier)
        if shared.teller != nil {
            print(
                "there is a background session '\(identifier)' already: its delegate is told of the tasks of this one")
        }
        link.listen(TransferMessages.Completed.name) { [weak self] message, exchange in
            guard let self, message["session"]?.string == identifier, shared.teller(orElse: self) === self else {
                return
            }
            Task { @MainActor in self.completed(message, exchange) }
        }
        _ = shared.teller(orElse: self)
        for entry in known() {
            let task = tasks[Int(clamping: entry["task"]?.int ?? -1)] ?? task(known: entry)
            if task.session == nil { task.session = self }
            running(task)
        }
    }
    private func task(known entry: Value) -> URLSessionTask {
        let isDownload = entry["download"]?.bool == true || entry["location"] != nil
        return isDownload
            ? URLSessionDownloadTask(known: entry, session: self) : URLSessionUploadTask(known: entry, session: self)
    }
    private func known() -> [Value] {
        link.call(TransferMessages.Tasks.name, ["session": .string(identifier)])["tasks"]?.array ?? []
    }

    // MARK: Background uploads

    /// An upload of a file, for background sessions. The request's own body is not used.
    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        URLSessionUploadTask(request: request, file: fileURL, session: self)
    }
    /// A download for background sessions, which goes on without the app (S137).
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        URLSessionDownloadTask(request: request, session: self)
    }
    /// Takes a cancelled or failed download up where it was, if the server still has the same version (app-lifecycle.md 7).
    public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        URLSessionDownloadTask(resumeData: resumeData, session: self)
    }
    /// As `downloadTask(with:)` with a `GET`.
    public func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    /// Tasks that are not finished or whose end was not yet reported, those of earlier launches too; in the order they were begun.
    public var allTasks: [URLSessionTask] { get async { tasks.keys.sorted().compactMap { tasks[$0] } } }
    /// As `allTasks`; the handler runs later, on the main actor.
    public func getAllTasks(completionHandler: @escaping @MainActor @Sendable ([URLSessionTask]) -> Void) {
        Task { @MainActor in completionHandler(await allTasks) }
    }

    func running(_ task: URLSessionTask) { tasks[task.taskIdentifier] = task }

    @MainActor private func completed(_ message: Message, _ exchange: UInt64) {
        let task =
            tasks[Int(clamping: message["task"]?.int ?? -1)] ?? self.task(known: message.body)
        let error = message.body.linkError
        if let answer = error == nil ? message.body : message["error"], answer["status"] != nil {
            task.response = HTTPURLResponse(url: task.originalRequest?.url, answer: answer)
        }
        if error == nil {
            if let task = task as? URLSessionDownloadTask, let location = message["location"]?.string {
                (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                    self, downloadTask: task, didFinishDownloadingTo: URL(fileURLWithPath: location))
            } else if let data = message["data"]?.data, !data.isEmpty {
                (delegate as? any URLSessionDataDelegate)?.urlSession(self, dataTask: task, didReceive: Data(data))
            }
        }
        complete(task, error)
        // The app has dealt with it: only now may the Pad forget the task.
        link.post(TransferMessages.Completed.name, .empty, exchange: exchange)
        if tasks.isEmpty { delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: self) }
    }
    @MainActor func complete(_ task: URLSessionTask, _ error: (any Error)?) {
        tasks[task.taskIdentifier] = nil
        task.error = error
        task.state = .completed
        let teller = shared.teller(orElse: self)
        (teller.delegate as? any URLSessionTaskDelegate)?.urlSession(teller, task: task, didCompleteWithError: error)
    }

    // MARK: Foreground requests

    /// Sends and waits for the answer; dies with the app and fails when it is suspended.
    /// - Throws: `URLError`: `.notConnectedToInternet` (nothing was sent), `.timedOut` and `.networkConnectionLost` (the backend may have
    ///   acted).
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        var body = request.body
        let ownTime = request.timeoutInterval
        let time = ownTime == URLRequest.timeoutDefault ? configuration.timeoutIntervalForRequest : ownTime
        if time != URLRequest.timeoutDefault { body["timeout"] = URLSessionTask.nanoseconds(time) }
        body["data"] = .data(Array(request.httpBody ?? Data()))
        let answer = try await link.ask(TransferMessages.Send.name, body).orThrow()
        return (Data(answer["data"]?.data ?? []), HTTPURLResponse(url: request.url, answer: answer))
    }
    /// As `data(for:)` with a `GET`.
    public func data(from url: URL) async throws -> (Data, URLResponse) { try await data(for: URLRequest(url: url)) }
    /// An upload that ends with the app: for user data use a background session (shared-ipad.md 8).
    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        var request = request
        request.httpBody = bodyData
        return try await data(for: request)
    }
}

/// What the sessions of one identifier have in common in a launch: to the system they are one.
private final class SharedSession {
    /// The session whose delegate is told; the first one that lives.
    private(set) weak var teller: URLSession?
    /// Tasks that have not ended, by number.
    var tasks: [Int: URLSessionTask] = [:]

    /// The session whose delegate is told: `other` when there is none.
    func teller(orElse other: URLSession) -> URLSession {
        if let teller { return teller }
        teller = other
        return other
    }

    private final class Registry {
        var sessions: [String: SharedSession] = [:]
    }
    static func of(_ identifier: String) -> SharedSession {
        let registry = AppLink.current.singleton { Registry() }
        let shared = registry.sessions[identifier] ?? SharedSession()
        registry.sessions[identifier] = shared
        return shared
    }
}
