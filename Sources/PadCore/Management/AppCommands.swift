import FleetModel

/// What an administrator does to the apps of an iPad: nobody else may install or remove them (shared-ipad.md 1).
extension Management {
    /// `RemoveApplication {Identifier}`: the app ends, and its sandbox goes for everybody on the iPad. What daemons have of it stays: it is the
    /// account's. Keychain items stay too.
    func removeApplication(_ request: Value) throws(ManagementError) {
        let app = try named(request)
        guard pad.catalogue.installed(app.name) != nil else { throw .noSuchApp(app.bundleID) }
        pad.apps.endAll(of: app.name, reason: .removed)
        for person in pad.residents.people {
            pad.storage.localData.purge(app, of: person, reason: .appRemoved)
            if let index = kernel.state.index(of: person) { kernel.state.residents[index].settings[app.bundleID] = nil }
        }
        kernel.state.apps.removed.append(app.name)
        pad.apps.screen.refuseOpening(of: app.name, "\(app.name) was removed")
        pad.notices.local.forget(app.name)
        kernel.state.apps.versions[app.name] = nil
        let vendor = AppCatalogue.vendor(of: app.bundleID)
        if !kernel.spec.apps.contains(where: {
            AppCatalogue.vendor(of: $0.bundleID) == vendor && pad.catalogue.installed($0.name) != nil
        }) {
            kernel.state.apps.vendorsGone[vendor] = .int((kernel.state.apps.vendorsGone[vendor]?.int ?? 0) + 1)
        }
        kernel.saveState()
    }

    /// `InstallApplication {Identifier}`: there again, as on the first day.
    func installApplication(_ request: Value) throws(ManagementError) {
        let app = try named(request)
        kernel.state.apps.removed.removeAll { $0 == app.name }
        kernel.saveState()
    }

    private func named(_ request: Value) throws(ManagementError) -> AppManifest {
        guard let bundle = request["Identifier"]?.string else {
            throw .malformed("'Identifier' is a bundle identifier")
        }
        guard let app = kernel.spec.apps.first(where: { $0.bundleID == bundle }) else { throw .noSuchApp(bundle) }
        return app
    }
}

extension ManagementError {
    /// ASSUMED: the code.
    fileprivate static func noSuchApp(_ bundle: String) -> ManagementError {
        ManagementError(code: 12024, text: "there is no app '\(bundle)' to do this to")
    }
}
