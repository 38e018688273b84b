import Foundation
import PadApp

/// Finds people by address, number or name (S281-S283). Apple has deprecated it.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// Whom to look for. None: the operation succeeds without asking.
    public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []
    /// Called for each person who was found, with what they were found by. Those who may not be found are left out.
    public var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
    /// Called last. A failure means that the rest was not looked for.
    public var discoverUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older form of `discoverUserIdentitiesResultBlock`.
    public var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }
    /// Looks for several people in one request.
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
    /// Called for each person of the address book who may be found.
    public var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
    /// Called last. A failure means that the rest was not looked for.
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
