import FleetModel

/// What apps learn about the person's iCloud account (identity.md 1-3).
extension Accounts {
    /// The opaque identity token: the same for an account on a device, of no meaning elsewhere (identity.md 2). Nil: no iCloud.
    /// - Parameter account: the session's, or one that is not signed in and has none.
    func identity(of account: Account) -> String? {
        switch iCloud(of: account) {
        // Password or terms pending: the token stays (identity.md 3).
        case .own, .unavailable: token(of: account)
        case .none, .restricted, .withoutDocuments: nil
        }
    }
    /// Of an account, signed in or not.
    func token(of account: Account) -> String {
        let name = isSecond(account) ? account : kernel.state[account]?.account ?? account
        return "identity-" + String(StableHash.of(0, name, deviceName), radix: 16)
    }

    /// `CKAccountStatus`: 1 available, 2 restricted, 3 no account, 4 temporarily unavailable.
    func accountStatus(of account: Account) -> Int {
        switch iCloud(of: account) {
        case .own, .withoutDocuments: 1
        case .restricted: 2
        case .unavailable: 4
        case .none: 3
        }
    }
    /// None for an account that is not signed in.
    private func iCloud(of account: Account) -> ICloudState {
        isPresent(account) ? kernel.state[holder(of: account)]?.iCloud ?? .none : .none
    }
    /// Whether apps can hand over all they have.
    func isICloudWhole(for person: Person) -> Bool { accountStatus(of: person) == 1 && identity(of: person) != nil }
    func identityBody(of person: Person) -> Value {
        let account = account(of: person)
        return IdentityMessages.State {
            ($0.identity, $0.accountStatus) = (identity(of: account), Int64(accountStatus(of: account)))
        }.body
    }

    /// The identity of the session changes. Apps hear it; those that are suspended, when they come back; those that do not run
    /// compare at launch (identity.md 2). `own` is the end of such a change: for everybody on the iPad, since the person whom it
    /// hit may have gone.
    func changeIdentity(_ command: Command) {
        let wish = command.asked(PadCommand.ChangeIdentity.self)
        let to = wish.to
        // Another account can be used as a whole; an outage, a restriction, the switch or a sign-out are of whichever account is there.
        guard let iCloud = to == "other" ? .own : ICloudState(fieldValue: to) else {
            return refuse(command, "there is no such state of the iCloud account; see Docs/pad-commands.md")
        }
        let delay = Span(nanoseconds: max(0, wish.noticeAfter ?? 0))
        if to == "own" {
            for person in pad.residents.people {
                setIdentity(of: person, iCloud, usesSecond: false, noticeAfter: delay)
            }
            pad.storage.localData.purgeWhatIsDue()
        } else {
            guard let person = pad.sessions.activePerson else { return refuse(command, "nobody is signed in") }
            let usesSecond = to == "other" || kernel.state[person]?.usesSecond == true
            setIdentity(of: person, iCloud, usesSecond: usesSecond, noticeAfter: delay)
        }
        done(command)
    }
    /// - Parameter delay: how long after the change apps are told of it; meanwhile what they ask is answered by the new state.
    private func setIdentity(
        of person: Person, _ iCloud: ICloudState, usesSecond: Bool, noticeAfter delay: Span
    ) {
        guard let index = kernel.state.index(of: person), !kernel.state.residents[index].isGuest else { return }
        let (before, previous) = (kernel.state.residents[index].iCloud, account(of: person))
        kernel.state.residents[index].iCloud = iCloud
        kernel.state.residents[index].usesSecond = usesSecond
        let isAnother = account(of: person) != previous
        guard before != iCloud || isAnother else { return }
        if usesSecond, kernel.state.residents[index].secondToken == nil {
            kernel.state.residents[index].secondToken = ""
        }
        for app in pad.apps.running(person, app: nil)
        where !isICloudWhole(for: person) || pad.apps.phase(of: app) == .active {
            settle(app)
        }
        kernel.saveState()
        // Apps empty their caches then, and fetch anew (identity.md 3).
        let account = account(of: person)
        let token = identity(of: account)
        note(
            Note(
                .identityChanged, person: person,
                detail: NoteDetail.IdentityChanged {
                    ($0.identity, $0.to) = (token, isAnother && usesSecond ? "other" : iCloud.fieldValue)
                }.body))
        mark(.identityChanged)
        if delay == .zero {
            giveIdentity(of: person)
        } else {
            kernel.timers.set(.identityNotice(person), at: now + delay)
        }
        // Whose data these are: an outage or a restriction of the account, or the switch, is no other account (identity.md 3).
        let isAccount = iCloud != .none && (before == .none || isAnother)
        if pad.sessions.person == person, isAnother {
            pad.daemons.accountChanged(from: previous, to: account)
        }
        pad.daemons.tell(.identityChanged(account, token: token, isAccount: isAccount))
    }
    /// `NSUbiquityIdentityDidChange`, with the identity as it is now: it stands for all changes since the last.
    func giveIdentity(of person: Person) {
        kernel.timers.cancel(.identityNotice(person))
        for app in pad.apps.running(person, app: nil) {
            pad.apps.giveEvent(Message(AppMessages.IdentityChanged.name, identityBody(of: person)), to: app.launch)
        }
    }

    /// Apps are told of a change that has been one for a while.
    func giveDelayedIdentity(of person: Person) {
        mark(.delayedNotice)
        giveIdentity(of: person)
    }

    /// Remembers an app that is in use without iCloud, and forgets it once it is in use with it and with space: until then the only copy
    /// of an edit may lie in its sandbox.
    func settle(_ app: AppIdentity) {
        guard isICloudWhole(for: app.person) else { return unsettle(app) }
        guard !pad.storage.isShortOfSpace, let index = kernel.state.index(of: app.person),
            kernel.state.residents[index].unsettled.contains(app.app)
        else { return }
        kernel.state.residents[index].unsettled.removeAll { $0 == app.app }
        kernel.saveState()
    }
    func unsettle(_ app: AppIdentity) {
        guard let index = kernel.state.index(of: app.person), !kernel.state.residents[index].unsettled.contains(app.app)
        else {
            return
        }
        kernel.state.residents[index].unsettled.append(app.app)
        kernel.saveState()
    }

    /// Kills the account's token at the Cloud; requests find out by 401.
    func revokeIdentity(_ command: Command) {
        guard let person = pad.sessions.activePerson else { return refuse(command, "nobody is signed in") }
        guard pad.network.canReachNetwork(as: person), pad.network.hasAccount(person) else {
            return refuse(command, "there is no account, or airplane mode is on: the Cloud cannot be told")
        }
        pad.network.sendSignOut(account(of: person))
        done(command)
    }
}
