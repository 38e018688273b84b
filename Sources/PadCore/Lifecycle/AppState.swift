import FleetModel

/// What an app may ask about itself and its iPad: its state and the time it has left, its vendor's identifier, the network.
extension Pad {
    /// Answer of `app.state`. `remaining`: ns of background time, null in the foreground, where there is no limit (app-lifecycle.md 4).
    func stateBody(_ launch: Int) -> Value {
        guard let run = runs[launch] else { return .empty }
        return [
            "state": .string(run.applicationState.rawValue), "remaining": remaining(run).map { .int($0) } ?? .null,
            "protectedData": .bool(isProtectedDataAvailable),
        ]
    }
    private func remaining(_ run: AppRun) -> Int64? {
        guard run.applicationState == .background else { return nil }
        // Its time begins when it has arrived; on the way it has all of it.
        guard run.phase == .background else { return spec.real(Self.allowance).nanoseconds }
        return max(0, (run.inBackgroundSince + spec.real(Self.allowance)).nanoseconds - now.nanoseconds)
    }

    /// What a launch is told beside the usual, only when there is something: settings to take, an archive to restore.
    func addExtras(to body: inout Value, _ app: AppIdentity) {
        if let settings = settingsToTake(app.bundle, app.person) { body["settings"] = settings }
        if hasArchive(app) { body["restores"] = true }
        if spec.recordsHabits { body["habits"] = true }
    }

    // MARK: Vendor

    /// `identifierForVendor`: the same for all apps of a vendor on this iPad, another one elsewhere (app-lifecycle.md 14). The vendor is the
    /// bundle identifier without its last component. A new one after all of a vendor's apps were removed.
    func vendorIdentifier(of bundle: String) -> String {
        let name = Self.vendor(of: bundle)
        var high = StableHash.of(spec.seed, deviceName, "vendor", name)
        if let gone = state.vendorsGone[name]?.int { high = StableHash.of(high, "again", String(gone)) }
        let low = StableHash.of(high, name)
        let digits = Self.hex(high) + Self.hex(low)
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }
    static func vendor(of bundle: String) -> String {
        let vendor = bundle.split(separator: ".").dropLast().joined(separator: ".")
        return vendor.isEmpty ? bundle : vendor
    }
    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: Network

    /// Apps that watch the network hear that it has come or gone (S201). ASSUMED: the iPad knows of its own switch only; a network that
    /// leads nowhere is found out by requests.
    func tellReachability() {
        for launch in runs.keys.sorted() where runs[launch]?.watchesNetwork == true {
            giveEvent(Message("app.networkPath", ["satisfied": .bool(!state.isAirplaneMode)]), to: launch)
        }
    }
}
