import FleetModel
import Storage

/// What apps ask of the keychain (identity.md 5; Docs/local-link.md, Keychain).
extension KeychainDaemon {
    /// - Throws: `KeychainStatus`, the call's answer; `ServiceError` for a message that no shim sends.
    func answer(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        if message.name == KeychainMessages.List.name { return try list(message, app, pad) }
        let service = try message.argument("service")
        let account = try message.argument("account")
        guard let vault = try vault(of: app.person, pad) else { throw KeychainStatus.interactionNotAllowed }
        let groups = try groups(message, app, pad)
        if message.name == KeychainMessages.Add.name {
            return try add(message, KeychainItem.Name(groups[0], service, account), vault, app, pad)
        }
        let flags = try flags(message)
        let found: [KeychainItem] = try groups.flatMap { group in
            try flags.compactMap { flag in
                try vault.item(KeychainItem.Name(group, service, account, isSynchronizable: flag).key)
            }
        }.filter { !$0.isRemoved }
        switch message.name {
        case KeychainMessages.Copy.name:
            guard let item = found.first else { throw KeychainStatus.itemNotFound }
            var answer = try read(item, app, pad)
            answer["status"] = .int(KeychainStatus.success.rawValue)
            return answer
        case KeychainMessages.Update.name:
            return try change(found, vault, app, pad) { try self.value(message, $0, app, pad) }
        // ASSUMED: what cannot be read can be removed.
        case KeychainMessages.Delete.name: return try change(found, vault, app, pad) { _ in .null }
        default: throw ServiceError.malformed("\(message.name) is no call of the keychain")
        }
    }

    // MARK: Which items

    /// The access groups that a call is about, in the order of the app's entitlement: the one that it names, or all. Items are added to the
    /// first.
    private func groups(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> [String] {
        let groups = pad.entitlements(of: app).keychainGroups
        guard let named = try message.argument(ifPresent: "group") else { return groups }
        guard groups.contains(named) else { throw KeychainStatus.missingEntitlement }
        return [named]
    }
    /// Local items, unless the query asks for synchronizable ones or any.
    private func flags(_ message: Message) throws -> [Bool] {
        switch message["synchronizable"] {
        case nil, .bool(false)?: [false]
        case .bool(true)?: [true]
        case "any"?: [false, true]
        default: throw ServiceError.malformed("'synchronizable' of \(message.name) is true, false or any")
        }
    }

    /// The items of a service, an account, or any.
    private func list(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        let service = try message.argument(ifPresent: "service")
        let account = try message.argument(ifPresent: "account")
        guard let vault = try vault(of: app.person, pad) else { throw KeychainStatus.interactionNotAllowed }
        let groups = try groups(message, app, pad)
        let flags = try flags(message)
        let items: [Value] = try vault.items().compactMap { item in
            guard let name = item.name, groups.contains(name.group), flags.contains(name.isSynchronizable),
                service ?? name.service == name.service, account ?? name.account == name.account
            else { return nil }
            // ASSUMED: one that cannot be read now keeps all away.
            return try read(item, app, pad)
        }
        return ["status": .int(KeychainStatus.success.rawValue), "items": .array(items)]
    }

    // MARK: Reading

    /// Data and attributes of an item that can be read now.
    private func read(_ item: KeychainItem, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        guard let name = item.name, let data = item.value["data"]?.data else { throw KeychainStatus.itemNotFound }
        guard isReadable(item.accessible, app, pad) else { throw KeychainStatus.interactionNotAllowed }
        return [
            "service": .string(name.service), "account": .string(name.account), "group": .string(name.group),
            "synchronizable": .bool(name.isSynchronizable), "accessible": .string(item.accessible),
            "data": .data(data),
        ]
    }
    /// Whether the class's key is there: always, from the first unlock on, or while the iPad is unlocked.
    private func isReadable(_ accessible: String, _ app: AppIdentity, _ pad: any PadServices) -> Bool {
        if accessible.hasPrefix("Always") { return true }
        guard pad.hasUnlocked(app.person) else { return false }
        return accessible.hasPrefix("AfterFirstUnlock") || pad.isProtectedDataAvailable
    }

    // MARK: Changing

    private func add(
        _ message: Message, _ name: KeychainItem.Name, _ vault: KeychainVault, _ app: AppIdentity,
        _ pad: any PadServices
    ) throws -> Value {
        var name = name
        name.isSynchronizable = message["synchronizable"]?.bool ?? false
        let present = try vault.item(name.key)
        guard present?.isRemoved ?? true else { throw KeychainStatus.duplicateItem }
        let value = try value(message, nil, app, pad)
        return try store([(name, value, present)], vault, app, pad)
    }
    /// All that were found, or none.
    private func change(
        _ found: [KeychainItem], _ vault: KeychainVault, _ app: AppIdentity, _ pad: any PadServices,
        to value: (KeychainItem) throws -> Value
    ) throws -> Value {
        guard !found.isEmpty else { throw KeychainStatus.itemNotFound }
        var changes: [(name: KeychainItem.Name, value: Value, present: KeychainItem?)] = []
        for item in found {
            guard var name = item.name else { continue }
            let value = try value(item)
            changes.append((name, value, item))
            guard let flag = value["synchronizable"]?.bool, flag != name.isSynchronizable else { continue }
            // The flag is part of the name.
            name.isSynchronizable = flag
            let other = try vault.item(name.key)
            guard other?.isRemoved ?? true else { throw KeychainStatus.duplicateItem }
            changes[changes.count - 1].value = .null
            changes.append((name, value, other))
        }
        return try store(changes, vault, app, pad)
    }

    /// What is stored of an add or update; attributes that an update does not name stay as they are.
    private func value(_ message: Message, _ present: KeychainItem?, _ app: AppIdentity, _ pad: any PadServices)
        throws -> Value
    {
        let old = present?.value
        if let present, !isReadable(present.accessible, app, pad) { throw KeychainStatus.interactionNotAllowed }
        let data = try present != nil && message["data"] == nil ? old?["data"]?.data : message.argument(bytes: "data")
        let accessible =
            try message.argument(ifPresent: "accessible") ?? present?.accessible ?? KeychainItem.accessibleByDefault
        let flag = message[present == nil ? "synchronizable" : "becomesSynchronizable"]?.bool
        let isSynchronizable = flag ?? old?["synchronizable"]?.bool ?? false
        guard KeychainItem.accessibilities.contains(accessible),
            !isSynchronizable || !accessible.hasSuffix(KeychainItem.thisDeviceOnly)
        else { throw KeychainStatus.param }
        // ASSUMED status; a guest has no passcode.
        guard !accessible.hasPrefix("WhenPasscodeSet") || pad.hasPasscode(app.person) else {
            throw KeychainStatus.authFailed
        }
        guard isReadable(accessible, app, pad) else { throw KeychainStatus.interactionNotAllowed }
        return [
            "data": .data(data ?? []), "accessible": .string(accessible), "synchronizable": .bool(isSynchronizable),
        ]
    }

    /// Commits the changes as one before the app has its answer: from then on the keychain answers for them.
    private func store(
        _ changes: [(name: KeychainItem.Name, value: Value, present: KeychainItem?)], _ vault: KeychainVault,
        _ app: AppIdentity, _ pad: any PadServices
    ) throws -> Value {
        let items = changes.map { name, value, present in
            let floor = present.map { $0.version.stamp == .max ? .max : $0.version.stamp + 1 } ?? .min
            let version = KeychainItem.Version(stamp: max(pad.deviceClock, floor), device: pad.deviceName)
            var item = KeychainItem(key: name.key, value: value, version: version, isDirty: false)
            // The Cloud knows an item that followed the person: its removal has to follow as well.
            item.isDirty = value.isNull ? !(present?.staysHere(pad.switches) ?? true) : !item.staysHere(pad.switches)
            return item
        }
        do {
            try vault.change(items)
        } catch let error as DatabaseError where error.isFull {
            throw KeychainStatus.diskFull
        }
        let tokens = items.flatMap(\.tokens)
        if !tokens.isEmpty {
            pad.note(Note(.handedOver, person: app.person, app: app.app, channel: .keychain, tokens: tokens))
        }
        return ["status": .int(KeychainStatus.success.rawValue)]
    }
}
