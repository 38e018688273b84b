import Foundation
import PadApp

/// Finds people by address, number or name (S281-S283). Apple has deprecated it.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []
    public var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
    public var discoverUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older form of `discoverUserIdentitiesResultBlock`.
    public var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func begin() {
        Task {
            var outcome = OperationOutcome()
            do {
                let infos = userIdentityLookupInfos
                let found = infos.isEmpty ? [] : try await (settings.container ?? .default()).discover(infos)
                for identity in found where !isCancelled {
                    guard let info = identity.lookupInfo else { continue }
                    userIdentityDiscoveredBlock?(identity, info)
                }
            } catch { outcome.fail(error) }
            finish {
                discoverUserIdentitiesResultBlock?(outcome.result(of: self))
                discoverUserIdentitiesCompletionBlock?(outcome.error(of: self))
            }
        }
    }
}

/// Finds the people of the address book. Apple has deprecated it.
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    public var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
    public var discoverAllUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older form of `discoverAllUserIdentitiesResultBlock`.
    public var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    override func begin() {
        Task {
            var outcome = OperationOutcome()
            do {
                for identity in try await (settings.container ?? .default()).discover(nil) where !isCancelled {
                    userIdentityDiscoveredBlock?(identity)
                }
            } catch { outcome.fail(error) }
            finish {
                discoverAllUserIdentitiesResultBlock?(outcome.result(of: self))
                discoverAllUserIdentitiesCompletionBlock?(outcome.error(of: self))
            }
        }
    }
}
