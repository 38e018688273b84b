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
/// Only generic and internet passwords, one item a query. Not modelled: access groups, certificates and keys, persistent references.
/// - Returns: `errSecDuplicateItem`, `errSecInteractionNotAllowed` while locked, `errSecParam` for a query that cannot be read.
@discardableResult public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{
    guard var body = keychainQuery(attributes), let data = attributes[kSecValueData] as? Data else {
        return errSecParam
    }
    keychainValue(attributes, data, &body)
    return keychainCall("keychain.add", body).status
}

/// Reads one item: its data with `kSecReturnData`, its attributes with `kSecReturnAttributes`, both as a dictionary with both.
@discardableResult public func SecItemCopyMatching(
    _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    guard let body = keychainQuery(query) else { return errSecParam }
    let (status, data) = keychainCall("keychain.copy", body)
    guard status == errSecSuccess, let result else { return status }
    let wantsData = query[kSecReturnData] as? Bool ?? false
    if query[kSecReturnAttributes] as? Bool ?? false {
        var attributes: [String: Any] = [
            kSecAttrService: body["service"]?.string ?? "", kSecAttrAccount: body["account"]?.string ?? "",
        ]
        if wantsData { attributes[kSecValueData] = data }
        result.pointee = attributes
    } else if wantsData {
        result.pointee = data
    }
    return status
}

/// Replaces the data of an item that is there.
@discardableResult public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    guard var body = keychainQuery(query), let data = attributesToUpdate[kSecValueData] as? Data else {
        return errSecParam
    }
    keychainValue(query.merging(attributesToUpdate) { _, new in new }, data, &body)
    return keychainCall("keychain.update", body).status
}

@discardableResult public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    guard let body = keychainQuery(query) else { return errSecParam }
    return keychainCall("keychain.delete", body).status
}

/// Service and account of a query: what names an item. Internet passwords are named by their server.
private func keychainQuery(_ query: CFDictionary) -> Value? {
    let itemClass = query[kSecClass] as? String
    let service = (itemClass == kSecClassInternetPassword ? query[kSecAttrServer] : query[kSecAttrService]) as? String
    guard itemClass == kSecClassGenericPassword || itemClass == kSecClassInternetPassword,
        let account = query[kSecAttrAccount] as? String
    else { return nil }
    return ["service": .string(service ?? ""), "account": .string(account)]
}
private func keychainValue(_ attributes: CFDictionary, _ data: Data, _ body: inout Value) {
    body["data"] = .data(Array(data))
    body["synchronizable"] = .bool(attributes[kSecAttrSynchronizable] as? Bool ?? false)
    body["accessible"] = .string(attributes[kSecAttrAccessible] as? String ?? kSecAttrAccessibleWhenUnlocked)
}
private func keychainCall(_ name: String, _ body: Value) -> (status: OSStatus, data: Data) {
    let answer = AppLink.current.call(name, body)
    let status = answer["error"] == nil ? Int32(clamping: answer["status"]?.int ?? 0) : errSecIO
    return (status, Data(answer["data"]?.data ?? []))
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

public let errSecSuccess: OSStatus = 0
public let errSecIO: OSStatus = -36
public let errSecParam: OSStatus = -50
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308
