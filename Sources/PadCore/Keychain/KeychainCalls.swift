import FleetModel
import Storage

/// What apps ask of the keychain (identity.md 5; Docs/local-link.md, Keychain).
extension KeychainDaemon {
    /// - Throws: `KeychainStatus`, the call's answer; `MalformedMessage` or `ServiceError` for a message that no shim sends.
    func answer(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        switch message.name {
        case KeychainMessages.List.name: return try list(KeychainMessages.List(message), app, pad)
        case KeychainMessages.Add.name: return try add(KeychainMessages.Add(message), app, pad)
        case KeychainMessages.Copy.name:
            let named = try KeychainMessages.Copy(message).item
            let (found, _) = try items(named.service, named.account, named.scope, app, pad)
            guard let item = found.first else { throw KeychainStatus.itemNotFound }
            let read = try read(item, app, pad)
            return KeychainMessages.Found { $0.item = read }.body
        case KeychainMessages.Update.name:
            let change = try KeychainMessages.Update(message)
            let (found, vault) = try items(change.service, change.account, change.scope, app, pad)
            return try self.change(found, vault, app, pad) { item in
                let wish = KeychainItem.Content {
                    ($0.data, $0.synchronizable) = (change.data, change.becomesSynchronizable)
                }
                return try value(wish, change.accessible, item, app, pad)
            }
        case KeychainMessages.Delete.name:
            let named = try KeychainMessages.Delete(message).item
            let (found, vault) = try items(named.service, named.account, named.scope, app, pad)
            // ASSUMED: what cannot be read can be removed.
            return try change(found, vault, app, pad) { _ in nil }
        default: throw ServiceError.malformed("\(message.name) is no call of the keychain")
        }
    }

    // MARK: Which items

    private func openVault(_ app: AppIdentity, _ pad: any PadServices) throws -> KeychainVault {
        guard let vault = try vault(of: app.person, pad) else { throw KeychainStatus.interactionNotAllowed }
        return vault
    }
    /// What a call is about that names an item.
    private func items(
        _ service: String, _ account: String, _ scope: KeychainMessages.Scope, _ app: AppIdentity,
        _ pad: any PadServices
    ) throws -> ([KeychainItem], KeychainVault) {
        let vault = try openVault(app, pad)
        let flags = try flags(scope)
        let found: [KeychainItem] = try groups(scope, app, pad).flatMap { group in
            try flags.compactMap { flag in
                try vault.item(KeychainItem.Name(group, service, account, isSynchronizable: flag).key)
            }
        }
        return (found.filter { !$0.isRemoved }, vault)
    }
    /// The access groups that a call is about, in the order of the app's entitlement: the one that it names, or all. Items are added to the
    /// first.
    private func groups(_ scope: KeychainMessages.Scope, _ app: AppIdentity, _ pad: any PadServices) throws -> [String]
    {
        let groups = pad.entitlements(of: app).keychainGroups
        guard let named = scope.group else { return groups }
        guard groups.contains(named) else { throw KeychainStatus.missingEntitlement }
        return [named]
    }
    /// Local items, unless the query asks for synchronizable ones or any.
    private func flags(_ scope: KeychainMessages.Scope) throws -> [Bool] {
        switch scope.synchronizable {
        case nil, .bool(false)?: [false]
        case .bool(true)?: [true]
        case "any"?: [false, true]
        default: throw ServiceError.malformed("'synchronizable' of a keychain call is true, false or any")
        }
    }

    /// The items of a service, an account, or any.
    private func list(_ query: KeychainMessages.List, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        let vault = try openVault(app, pad)
        let groups = try groups(query.scope, app, pad)
        let flags = try flags(query.scope)
        let items: [KeychainMessages.Item] = try vault.items().compactMap { item in
            guard let name = item.name, groups.contains(name.group), flags.contains(name.isSynchronizable),
                query.service ?? name.service == name.service, query.account ?? name.account == name.account
            else { return nil }
            // ASSUMED: one that cannot be read now keeps all away.
            return try read(item, app, pad)
        }
        return KeychainMessages.List.Answer { $0.items = items }.body
    }

    // MARK: Reading

    /// Data and attributes of an item that can be read now.
    private func read(_ item: KeychainItem, _ app: AppIdentity, _ pad: any PadServices) throws
        -> KeychainMessages.Item
    {
        guard let name = item.name, let data = item.content.data else { throw KeychainStatus.itemNotFound }
        guard isReadable(item.accessible, app, pad) else { throw KeychainStatus.interactionNotAllowed }
        return KeychainMessages.Item {
            ($0.group, $0.service, $0.account) = (name.group, name.service, name.account)
            ($0.synchronizable, $0.accessible, $0.data) = (name.isSynchronizable, item.accessible, data)
        }
    }
    /// Whether the class's key is there: always, from the first unlock on, or while the iPad is unlocked.
    private func isReadable(_ accessible: String, _ app: AppIdentity, _ pad: any PadServices) -> Bool {
        if accessible.hasPrefix("Always") { return true }
        guard pad.hasUnlocked(app.person) else { return false }
        return accessible.hasPrefix("AfterFirstUnlock") || pad.isProtectedDataAvailable
    }

    // MARK: Changing

    private func add(_ new: KeychainMessages.Add, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        let vault = try openVault(app, pad)
        let group = try groups(new.scope, app, pad)[0]
        let flag = new.scope.synchronizable?.bool
        let name = KeychainItem.Name(group, new.service, new.account, isSynchronizable: flag ?? false)
        let present = try vault.item(name.key)
        guard present?.isRemoved ?? true else { throw KeychainStatus.duplicateItem }
        let wish = KeychainItem.Content { ($0.data, $0.synchronizable) = (new.data, flag) }
        let content = try value(wish, new.accessible, nil, app, pad)
        return try store([(name, content.body, present)], vault, app, pad)
    }
    /// All that were found, or none.
    private func change(
        _ found: [KeychainItem], _ vault: KeychainVault, _ app: AppIdentity, _ pad: any PadServices,
        to value: (KeychainItem) throws -> KeychainItem.Content?
    ) throws -> Value {
        guard !found.isEmpty else { throw KeychainStatus.itemNotFound }
        var changes: [(name: KeychainItem.Name, value: Value, present: KeychainItem?)] = []
        for item in found {
            guard var name = item.name else { continue }
            let content = try value(item)
            let value = content?.body ?? .null
            changes.append((name, value, item))
            guard let flag = content?.synchronizable, flag != name.isSynchronizable else { continue }
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
    private func value(
        _ wish: KeychainItem.Content, _ accessible: String?, _ present: KeychainItem?, _ app: AppIdentity,
        _ pad: any PadServices
    ) throws -> KeychainItem.Content {
        if let present, !isReadable(present.accessible, app, pad) { throw KeychainStatus.interactionNotAllowed }
        guard present != nil || wish.data != nil else {
            throw ServiceError.malformed("keychain.add needs the data 'data'")
        }
        let accessible = accessible ?? present?.accessible ?? KeychainItem.accessibleByDefault
        let isSynchronizable = wish.synchronizable ?? present?.content.synchronizable ?? false
        guard KeychainItem.accessibilities.contains(accessible),
            !isSynchronizable || !accessible.hasSuffix(KeychainItem.thisDeviceOnly)
        else { throw KeychainStatus.param }
        // ASSUMED status; a guest has no passcode.
        guard !accessible.hasPrefix("WhenPasscodeSet") || pad.hasPasscode(app.person) else {
            throw KeychainStatus.authFailed
        }
        guard isReadable(accessible, app, pad) else { throw KeychainStatus.interactionNotAllowed }
        return KeychainItem.Content {
            ($0.accessible, $0.synchronizable) = (accessible, isSynchronizable)
            $0.data = wish.data ?? present?.content.data ?? []
        }
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
        return KeychainMessages.Status(KeychainStatus.success.rawValue).body
    }
}
