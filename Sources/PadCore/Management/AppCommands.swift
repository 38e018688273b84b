import FleetModel

/// What an administrator does to the apps of an iPad: nobody else may install or remove them (shared-ipad.md 1).
extension Pad {
    /// The app if it is installed now.
    func installed(_ app: AppName) -> AppManifest? { state.removedApps.contains(app) ? nil : manifests[app] }

    /// `RemoveApplication {Identifier}`: the app ends, and its sandbox goes for everybody on the iPad. What daemons have of it stays: it is the
    /// account's. Keychain items stay too.
    func removeApplication(_ request: Value) throws(ManagementError) {
        let app = try named(request)
        guard installed(app.name) != nil else { throw .noSuchApp(app.bundleID) }
        for launch in runs.keys.sorted() where runs[launch]?.identity.app == app.name { end(launch, reason: "removed") }
        for person in people {
            purge(app, of: person, reason: "appRemoved")
            if let index = state.index(of: person) { state.residents[index].settings[app.bundleID] = nil }
        }
        state.removedApps.append(app.name)
        if opening?.app == app.name { refuseOpening("\(app.name) was removed") }
        localNotifications.removeAll { $0.app == app.name }
        shownNotifications.removeAll { $0.app == app.name }
        state.versions[app.name] = nil
        let vendor = Self.vendor(of: app.bundleID)
        if !spec.apps.contains(where: { Self.vendor(of: $0.bundleID) == vendor && installed($0.name) != nil }) {
            state.vendorsGone[vendor] = .int((state.vendorsGone[vendor]?.int ?? 0) + 1)
        }
        saveState()
    }

    /// `InstallApplication {Identifier}`: there again, as on the first day.
    func installApplication(_ request: Value) throws(ManagementError) {
        let app = try named(request)
        state.removedApps.removeAll { $0 == app.name }
        saveState()
    }

    private func named(_ request: Value) throws(ManagementError) -> AppManifest {
        guard let bundle = request["Identifier"]?.string else {
            throw .malformed("'Identifier' is a bundle identifier")
        }
        guard let app = spec.apps.first(where: { $0.bundleID == bundle }) else { throw .noSuchApp(bundle) }
        return app
    }
}

extension ManagementError {
    /// ASSUMED: the code.
    fileprivate static func noSuchApp(_ bundle: String) -> ManagementError {
        ManagementError(code: 12024, text: "there is no app '\(bundle)' to do this to")
    }
}
