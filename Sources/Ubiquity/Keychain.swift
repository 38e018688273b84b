// Apple's names:
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import PadApp

// Core Foundation's names, so that code written for an iPad compiles: on Linux nothing bridges, so they are Swift's own types.
public typealias CFDictionary = [String: Any]
public typealias CFString = String
public typealias CFTypeRef = Any
public typealias OSStatus = Int32

/// Adds a password item; on a Shared iPad it follows the person to other iPads unless it is this-device-only (identity.md 5).
///
/// Only generic and internet passwords. Not modelled: access groups, certificates and keys, persistent references, queries by other
/// attributes than class, service or server, and account.
/// - Returns: `errSecDuplicateItem`, `errSecInteractionNotAllowed` while locked, `errSecParam` for a query that cannot be read.
@discardableResult public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{
    guard let query = KeychainQuery(attributes), let data = attributes[kSecValueData] as? Data else {
        return errSecParam
    }
    var body = query.item(service: query.service ?? "", account: query.account ?? "")
    setValue(of: &body, data, attributes)
    return keychainCall("keychain.add", body).status
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
        if wantsData { attributes[kSecValueData] = data }
        return attributes
    }
    result.pointee = query[kSecMatchLimit] as? String == kSecMatchLimitAll ? found : found.first
    return status
}

/// Replaces the data of every item that the query names; attributes that are not given stay.
@discardableResult public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    guard let matching = KeychainQuery(query), let data = attributesToUpdate[kSecValueData] as? Data else {
        return errSecParam
    }
    return matching.change("keychain.update") { setValue(of: &$0, data, attributesToUpdate) }
}

/// Removes every item that the query names.
@discardableResult public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    KeychainQuery(query)?.change("keychain.delete") { _ in } ?? errSecParam
}

/// Service and account of a query, which name an item; nil stands for any. Internet passwords are named by their server.
private struct KeychainQuery {
    var serviceKey: String
    var service: String?
    var account: String?

    /// Nil for another class, or for a name that is no text: it must not match everything.
    init?(_ query: CFDictionary) {
        let itemClass = query[kSecClass] as? String
        guard itemClass == kSecClassGenericPassword || itemClass == kSecClassInternetPassword else { return nil }
        serviceKey = itemClass == kSecClassInternetPassword ? kSecAttrServer : kSecAttrService
        for key in [serviceKey, kSecAttrAccount] where query[key] != nil && !(query[key] is String) { return nil }
        service = query[serviceKey] as? String
        account = query[kSecAttrAccount] as? String
    }

    func item(service: String, account: String) -> Value {
        ["service": .string(service), "account": .string(account)]
    }
    /// The one item that the query names in full; nil when it may name several.
    private var single: Value? {
        guard let service, let account else { return nil }
        return item(service: service, account: account)
    }

    /// All that it names, in the order of service and account.
    func items() -> (status: OSStatus, items: [Value]) {
        if var single {
            let (status, answer) = keychainCall("keychain.copy", single)
            single["data"] = answer["data"]
            return (status, [single])
        }
        let (status, answer) = keychainCall(
            "keychain.list", ["service": .optional(service), "account": .optional(account)])
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
            targets = items.map { item(service: $0["service"]?.string ?? "", account: $0["account"]?.string ?? "") }
        }
        for var target in targets {
            body(&target)
            let status = keychainCall(name, target).status
            guard status == errSecSuccess else { return status }
        }
        return errSecSuccess
    }
}
private func setValue(of body: inout Value, _ data: Data, _ attributes: CFDictionary) {
    body["data"] = .data(Array(data))
    if let flag = attributes[kSecAttrSynchronizable] as? Bool { body["synchronizable"] = .bool(flag) }
    if let accessible = attributes[kSecAttrAccessible] as? String { body["accessible"] = .string(accessible) }
}
private func keychainCall(_ name: String, _ body: Value) -> (status: OSStatus, answer: Value) {
    let answer = AppLink.current.call(name, body)
    return (answer["error"] == nil ? Int32(clamping: answer["status"]?.int ?? 0) : errSecIO, answer)
}

public let kSecClass: CFString = "class"
public let kSecClassGenericPassword: CFString = "genp"
public let kSecClassInternetPassword: CFString = "inet"
public let kSecAttrService: CFString = "svce"
public let kSecAttrServer: CFString = "srvr"
public let kSecAttrAccount: CFString = "acct"
public let kSecAttrSynchronizable: CFString = "sync"
public let kSecAttrAccessible: CFString = "pdmn"
// Values as the local link names them.
public let kSecAttrAccessibleWhenUnlocked: CFString = "WhenUnlocked"
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "AfterFirstUnlock"
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "WhenUnlockedThisDeviceOnly"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "AfterFirstUnlockThisDeviceOnly"
public let kSecValueData: CFString = "v_Data"
public let kSecReturnData: CFString = "r_Data"
public let kSecReturnAttributes: CFString = "r_Attributes"
public let kSecMatchLimit: CFString = "m_Limit"
public let kSecMatchLimitOne: CFString = "m_LimitOne"
public let kSecMatchLimitAll: CFString = "m_LimitAll"

public let errSecSuccess: OSStatus = 0
public let errSecIO: OSStatus = -36
public let errSecParam: OSStatus = -50
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308
