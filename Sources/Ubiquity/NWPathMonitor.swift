import Foundation
import PadApp

/// Tells when the network comes and goes (the Network framework's monitor; S201).
///
/// The iPad knows of its own switch, airplane mode. Not modelled: kinds of interfaces, expensive and constrained paths, queues.
public final class NWPathMonitor: @unchecked Sendable {
    /// Called once after `start`, then at each change.
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
    public private(set) var currentPath = NWPath(status: .requiresConnection)

    private let link = AppLink.current
    private var isStarted = false
    private var isCancelled = false

    public init() {}

    public func start(queue: DispatchQueue) {
        guard !isStarted else { return }
        isStarted = true
        link.listen(AppMessages.NetworkPath.name) { [weak self] message in self?.changed(message.body) }
        changed(link.call(AppMessages.WatchNetwork.name))
    }
    public func cancel() { isCancelled = true }

    private func changed(_ body: Value) {
        guard !isCancelled else { return }
        currentPath = NWPath(status: body["satisfied"]?.bool == true ? .satisfied : .unsatisfied)
        pathUpdateHandler?(currentPath)
    }
}

public struct NWPath: Hashable, Sendable {
    public enum Status: Hashable, Sendable { case satisfied, unsatisfied, requiresConnection }
    public let status: Status
}
