import Foundation
import PadApp

extension CKOperation {
    /// How an operation is carried out; defaults are Apple's (cloudkit-framework.md 11).
    ///
    /// Not modelled: scheduling by quality of service, but `utility` and `background` have the system wait out failures of the network;
    /// `allowsCellularAccess` is kept for the app, since school iPads have Wi-Fi.
    public final class Configuration: NSObject, NSCopying, @unchecked Sendable {
        // Nil: not said here, so the group's value counts.
        private var saidLongLived: Bool?
        private var saidQuality: QualityOfService?
        private var saidRequest: TimeInterval?
        private var saidResource: TimeInterval?
        private var saidCellular: Bool?
        private var saidContainer: CKContainer?

        public override init() { super.init() }
        /// A configuration of its own that says the same.
        public func copy(with zone: NSZone? = nil) -> Any { Configuration().over(self) }
        public override var hash: Int { members.hashValue }
        public override var description: String { "<CKOperationConfiguration: \(members.json)>" }

        /// The system goes on with the operation after the app is gone, and keeps its results for 24 h. Set it before the operation starts.
        public var isLongLived: Bool {
            get { saidLongLived ?? false }
            set { saidLongLived = newValue }
        }
        /// With `utility` and `background` the system waits out failures of the network; the others fail at once.
        public var qualityOfService: QualityOfService {
            get { saidQuality ?? .default }
            set { saidQuality = newValue }
        }
        /// Seconds that one request waits for its answer.
        public var timeoutIntervalForRequest: TimeInterval {
            get { saidRequest ?? 60 }
            set { saidRequest = newValue }
        }
        /// Seconds that the whole operation may take, pauses between tries included.
        public var timeoutIntervalForResource: TimeInterval {
            get { saidResource ?? 604_800 }
            set { saidResource = newValue }
        }
        /// Kept for the app; no effect here.
        public var allowsCellularAccess: Bool {
            get { saidCellular ?? true }
            set { saidCellular = newValue }
        }
        /// Where an operation goes that is added to no database; nil: the container it is added to.
        public var container: CKContainer? {
            get { saidContainer }
            set { saidContainer = newValue }
        }

        /// What is said here, else what `group` says.
        func over(_ group: Configuration?) -> Configuration {
            guard let group else { return self }
            let result = Configuration()
            result.saidLongLived = saidLongLived ?? group.saidLongLived
            result.saidQuality = saidQuality ?? group.saidQuality
            result.saidRequest = saidRequest ?? group.saidRequest
            result.saidResource = saidResource ?? group.saidResource
            result.saidCellular = saidCellular ?? group.saidCellular
            result.saidContainer = saidContainer ?? group.saidContainer
            return result
        }

        /// Members of a `ck.` message: only what differs from the default.
        var members: Value {
            var members = Value.empty
            if qualityOfService != .default { members["qos"] = .string(Self.name(qualityOfService)) }
            if timeoutIntervalForRequest != 60 { members["requestTimeout"] = .double(timeoutIntervalForRequest) }
            if timeoutIntervalForResource != 604_800 {
                members["resourceTimeout"] = .double(timeoutIntervalForResource)
            }
            return members
        }
        private static func name(_ quality: QualityOfService) -> String {
            switch quality {
            case .userInteractive: "userInteractive"
            case .userInitiated: "userInitiated"
            case .utility: "utility"
            case .background: "background"
            default: "default"
            }
        }
    }
}

/// Operations that belong together, with what counts for each of them that does not say otherwise (cloudkit-framework.md 11).
public final class CKOperationGroup: NSObject, @unchecked Sendable {
    /// How much is moved; for the system's statistics, which are not modelled. Raw values are Apple's.
    public enum TransferSize: Int, Hashable, Sendable {
        /// The app does not say.
        case unknown = 0
        /// The order of the size, from one unit up to the next.
        case kilobytes, megabytes, tensOfMegabytes, hundredsOfMegabytes, gigabytes, tensOfGigabytes, hundredsOfGigabytes
    }
    /// Names the group for the system's statistics; random.
    public let operationGroupID = UUID().uuidString
    /// What counts for each operation of the group that does not say otherwise.
    public var defaultConfiguration: CKOperation.Configuration! = CKOperation.Configuration()
    /// For the app's own logs; nil: none.
    public var name: String?
    /// How many operations the app expects to add.
    public var quantity = 0
    /// How much the app expects to send; no effect here.
    public var expectedSendSize = TransferSize.unknown
    /// How much the app expects to receive; no effect here.
    public var expectedReceiveSize = TransferSize.unknown

    public override var hash: Int { operationGroupID.hashValue }
    public override var description: String { "<CKOperationGroup: \(name ?? operationGroupID)>" }

    public override init() { super.init() }
}
/// The older names.
public typealias CKOperationConfiguration = CKOperation.Configuration
