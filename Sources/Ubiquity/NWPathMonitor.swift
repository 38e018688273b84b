import Foundation
import PadApp

/// Tells when the network comes and goes (the Network framework's monitor; S201).
///
/// The iPad knows of its own switch, airplane mode. Not modelled: kinds of interfaces, expensive and constrained paths, queues.
public final class NWPathMonitor: @unchecked Sendable {
    /// Called once after `start`, then at each change.
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
    /// The newest path; `.requiresConnection` before `start`.
    public private(set) var currentPath = NWPath(status: .requiresConnection)

    private let link = AppLink.current
    private var isStarted = false
    private var isCancelled = false

    /// A monitor that knows nothing before `start`.
    public init() {}

    /// Begins, and calls the handler with the first path before it returns. A second call does nothing. `queue` is not used.
    public func start(queue: DispatchQueue) {
        guard !isStarted else { return }
        isStarted = true
        link.listen(AppMessages.NetworkPath.name) { [weak self] message in self?.changed(message.body) }
        changed(link.call(AppMessages.WatchNetwork.name))
    }
    /// Ends the calls for good, as Apple's: make another monitor to begin again.
    public func cancel() { isCancelled = true }

    private func changed(_ body: Value) {
        guard !isCancelled else { return }
        currentPath = NWPath(status: body["satisfied"]?.bool == true ? .satisfied : .unsatisfied)
        pathUpdateHandler?(currentPath)
    }
}

/// What the iPad knows of its way into the network.
public struct NWPath: Hashable, Sendable {
    /// `satisfied`: the network can be tried, which does not mean that a server answers. `unsatisfied`: airplane mode.
    public enum Status: Hashable, Sendable { case satisfied, unsatisfied, requiresConnection }
    /// Only as new as the last change that the app has heard of.
    public let status: Status
}
