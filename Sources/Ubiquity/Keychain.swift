// Apple's names:
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import PadApp

// Core Foundation's names, so that code written for an iPad compiles: on Linux nothing bridges, so they are Swift's own types.
/// Attributes or a query of the keychain, by the constants below.
public typealias CFDictionary = [String: Any]
/// A key or a constant of the keychain.
public typealias CFString = String
/// What a query returns: `Data`, a dictionary of attributes, or an array of either.
public typealias CFTypeRef = Any
/// A result of the keychain: `errSecSuccess` (0) or one of the errors below.
public typealias OSStatus = Int32

/// Adds a password item; on a Shared iPad it follows the person to other iPads unless it is this-device-only (identity.md 5).
///
/// Only generic and internet passwords. Not modelled: certificates and keys, persistent references, queries by other attributes than
/// class, service or server, account, access group and synchronizable.
/// - Returns: `errSecDuplicateItem`, `errSecInteractionNotAllowed` while the item's class is sealed, `errSecMissingEntitlement` for an
///   access group that is not the app's, `errSecParam` for a query that cannot be read or a synchronizable item for this device only.
@discardableResult public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{
    guard let query = KeychainQuery(attributes), attributes[kSecValueData] is Data, query.synchronizable != "any" else {
        return errSecParam
    }
    var body = query.item(service: query.service ?? "", account: query.account ?? "")
    setValue(of: &body, attributes)
    return keychainCall(KeychainMessages.Add.name, body).status
}

/// Reads what the query names: the first item, or all as an array with `kSecMatchLimitAll`. Of each its data with `kSecReturnData`, its
/// attributes with `kSecReturnAttributes`, both as a dictionary with both.
@discardableResult public func SecItemCopyMatching(
    _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    guard let matching = KeychainQuery(query) else { return errSecParam }
    let (status, items) = matching.items()
    guard status == errSecSuccess, let result else { return status }
    let wantsData = query[kSecReturnData] as? Bool ?? false
    let wantsAttributes = query[kSecReturnAttributes] as? Bool ?? false
    guard wantsData || wantsAttributes else { return status }
    let found: [CFTypeRef] = items.map { item in
        let data = Data(item["data"]?.data ?? [])
        guard wantsAttributes else { return data }
        var attributes: [String: Any] = [
            matching.serviceKey: item["service"]?.string ?? "", kSecAttrAccount: item["account"]?.string ?? "",
        ]
        attributes[kSecAttrAccessGroup] = item["group"]?.string
        attributes[kSecAttrAccessible] = item["accessible"]?.string
        attributes[kSecAttrSynchronizable] = item["synchronizable"]?.bool
        if wantsData { attributes[kSecValueData] = data }
        return attributes
    }
    result.pointee = query[kSecMatchLimit] as? String == kSecMatchLimitAll ? found : found.first
    return status
}

/// Replaces data, accessibility and the synchronizable flag of every item that the query names; what is not given stays.
@discardableResult public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    let known = [kSecValueData, kSecAttrAccessible, kSecAttrSynchronizable]
    guard let matching = KeychainQuery(query), known.contains(where: { attributesToUpdate[$0] != nil }) else {
        return errSecParam
    }
    return matching.change(KeychainMessages.Update.name) {
        setValue(of: &$0, attributesToUpdate)
        $0["becomesSynchronizable"] = (attributesToUpdate[kSecAttrSynchronizable] as? Bool).map { .bool($0) }
    }
}

/// Removes every item that the query names.
@discardableResult public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    KeychainQuery(query)?.change(KeychainMessages.Delete.name) { _ in } ?? errSecParam
}

/// Service and account of a query, which name an item; nil stands for any. Internet passwords are named by their server.
private struct KeychainQuery {
    var serviceKey: String
    var service: String?
    var account: String?
    var group: String?
    /// As the local link has it; nil: local items only (identity.md 5).
    var synchronizable: Value?

    /// Nil for another class, or for a name that is no text: it must not match everything.
    init?(_ query: CFDictionary) {
        let itemClass = query[kSecClass] as? String
        guard itemClass == kSecClassGenericPassword || itemClass == kSecClassInternetPassword else { return nil }
        serviceKey = itemClass == kSecClassInternetPassword ? kSecAttrServer : kSecAttrService
        for key in [serviceKey, kSecAttrAccount, kSecAttrAccessGroup]
        where query[key] != nil && !(query[key] is String) { return nil }
        service = query[serviceKey] as? String
        account = query[kSecAttrAccount] as? String
        group = query[kSecAttrAccessGroup] as? String
        switch query[kSecAttrSynchronizable] {
        case nil: break
        case let flag as Bool: synchronizable = flag ? true : nil
        case let any as String where any == kSecAttrSynchronizableAny: synchronizable = "any"
        default: return nil
        }
    }

    func item(service: String, account: String) -> Value {
        var item = scope
        item["service"] = .string(service)
        item["account"] = .string(account)
        return item
    }
    private var scope: Value {
        var scope = Value.empty
        if let group { scope["group"] = .string(group) }
        if let synchronizable { scope["synchronizable"] = synchronizable }
        return scope
    }
    /// The one item that the query names in full; nil when it may name several.
    private var single: Value? {
        guard let service, let account else { return nil }
        return item(service: service, account: account)
    }

    /// All that it names, in the order of service and account.
    func items() -> (status: OSStatus, items: [Value]) {
        if let single {
            let (status, answer) = keychainCall(KeychainMessages.Copy.name, single)
            var item = single
            for pair in answer.object?.pairs ?? [] { item[pair.key] = pair.value }
            return (status, [item])
        }
        var query = scope
        query["service"] = .optional(service)
        query["account"] = .optional(account)
        let (status, answer) = keychainCall(KeychainMessages.List.name, query)
        let items = answer["items"]?.array ?? []
        return (status == errSecSuccess && items.isEmpty ? errSecItemNotFound : status, items)
    }

    /// Makes a call for each item; the first failure ends it.
    func change(_ name: String, _ body: (inout Value) -> Void) -> OSStatus {
        var targets: [Value] = []
        if let single {
            targets = [single]
        } else {
            let (status, items) = items()
            guard status == errSecSuccess else { return status }
            // Of a name that several groups have, or that is there flagged and not, one call changes all.
            for found in items {
                let target = item(service: found["service"]?.string ?? "", account: found["account"]?.string ?? "")
                if !targets.contains(target) { targets.append(target) }
            }
        }
        for var target in targets {
            body(&target)
            let status = keychainCall(name, target).status
            guard status == errSecSuccess else { return status }
        }
        return errSecSuccess
    }
}
private func setValue(of body: inout Value, _ attributes: CFDictionary) {
    if let data = attributes[kSecValueData] as? Data { body["data"] = .data(Array(data)) }
    if let accessible = attributes[kSecAttrAccessible] as? String { body["accessible"] = .string(accessible) }
}
private func keychainCall(_ name: String, _ body: Value) -> (status: OSStatus, answer: Value) {
    let answer = AppLink.current.call(name, body)
    return (answer["error"] == nil ? Int32(clamping: answer["status"]?.int ?? 0) : errSecIO, answer)
}

/// Key of the item's class. A query without it is `errSecParam`.
public let kSecClass: CFString = "class"
/// A password that its service and account name.
public let kSecClassGenericPassword: CFString = "genp"
/// A password that its server and account name. ASSUMED: one of the same name as a generic password is the same item here.
public let kSecClassInternetPassword: CFString = "inet"
/// Key of a generic password's service. In a query a missing one stands for any.
public let kSecAttrService: CFString = "svce"
/// Key of an internet password's server. In a query a missing one stands for any.
public let kSecAttrServer: CFString = "srvr"
/// Key of the account. In a query a missing one stands for any.
public let kSecAttrAccount: CFString = "acct"
/// Key of the flag for iCloud Keychain (identity.md 5). A query without it sees only items that are not flagged.
public let kSecAttrSynchronizable: CFString = "sync"
/// In a query: flagged items and others.
public let kSecAttrSynchronizableAny: CFString = "syna"
/// Key of the access group. A missing one stands for the app's first group when adding, for all of its groups in a query.
public let kSecAttrAccessGroup: CFString = "agrp"
/// Key of when the item can be read; `kSecAttrAccessibleWhenUnlocked` unless given.
public let kSecAttrAccessible: CFString = "pdmn"
// Values as the local link names them.
/// Readable while the iPad is unlocked.
public let kSecAttrAccessibleWhenUnlocked: CFString = "WhenUnlocked"
/// Readable from the first unlock after a restart on: for work in the background.
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "AfterFirstUnlock"
/// As `kSecAttrAccessibleWhenUnlocked`; never leaves this iPad.
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "WhenUnlockedThisDeviceOnly"
/// As `kSecAttrAccessibleAfterFirstUnlock`; never leaves this iPad.
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "AfterFirstUnlockThisDeviceOnly"
/// Readable while unlocked, on this iPad only. Adding is `errSecAuthFailed` where the person has no passcode.
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "WhenPasscodeSetThisDeviceOnly"
/// Readable always, also before the first unlock. Apple has deprecated it.
public let kSecAttrAccessibleAlways: CFString = "Always"
/// As `kSecAttrAccessibleAlways`; never leaves this iPad.
public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "AlwaysThisDeviceOnly"
/// Key of the secret, `Data`. Needed to add an item.
public let kSecValueData: CFString = "v_Data"
/// Key: the query returns the item's data.
public let kSecReturnData: CFString = "r_Data"
/// Key: the query returns a dictionary of the item's attributes.
public let kSecReturnAttributes: CFString = "r_Attributes"
/// Key of how many items a query returns; one unless given.
public let kSecMatchLimit: CFString = "m_Limit"
/// The first item in the order of service and account.
public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All items, as an array.
public let kSecMatchLimitAll: CFString = "m_LimitAll"

/// The call did what it says.
public let errSecSuccess: OSStatus = 0
/// The iPad did not answer: the process has been killed, or its disk failed. Whether the call took effect is open.
public let errSecIO: OSStatus = -36
/// The query or the attributes cannot be read; nothing was done.
public let errSecParam: OSStatus = -50
/// The class needs a passcode and the person has none; nothing was done.
public let errSecAuthFailed: OSStatus = -25293
/// The access group is not among the app's entitlements; nothing was done.
public let errSecMissingEntitlement: OSStatus = -34018
/// `SecItemAdd` found an item of this name, also one that cannot be read now. Update it instead.
public let errSecDuplicateItem: OSStatus = -25299
/// Nothing matches the query.
public let errSecItemNotFound: OSStatus = -25300
/// The item's class is sealed now: try again after the next unlock. Never take it for a missing item.
public let errSecInteractionNotAllowed: OSStatus = -25308
