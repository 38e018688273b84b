import FleetModel
import Storage

/// A person's wish to see an app, until it is active.
struct Opening {
    var app: AppName
    /// Everybody who asked for it.
    var commands: [Command]
    /// What it shall open there (S203).
    var urls: [String] = []
}

/// The one app that has the screen.
final class Screen: PadService {
    let kernel: Kernel
    /// The launch that has, gets or leaves the screen.
    private(set) var foreground: Int?
    private var opening: Opening?
    private var homeCommands: [Command] = []
    /// The app that comes back to the screen when its suspension is over (fault).
    private var suspendedApp: AppName?
    /// When each launch was last active.
    private var uses: [Int: Instant] = [:]

    init(_ kernel: Kernel) { self.kernel = kernel }

    func open(_ command: Command) {
        let app = command.asked(PadCommand.OpenApp.self).app
        guard pad.catalogue.installed(app) != nil else {
            return refuse(command, "there is no app '\(app)' on \(deviceName)")
        }
        guard let person = pad.sessions.activePerson else { return refuse(command, "nobody is signed in") }
        guard !pad.protection.isLocked else { return refuse(command, "\(deviceName) is locked") }
        guard !pad.management.setup.isHolding else { return refuse(command, "\(person) is held in Setup Assistant") }
        pad.apps.lift(app, person)
        if let foreground, let run = pad.apps[foreground], run.identity.app == app, run.phase == .active,
            run.goal == .foreground
        {
            refuseOpening("\(app) was opened instead")
            return done(command)
        }
        if opening?.app == app {
            opening?.commands.append(command)
        } else {
            refuseOpening("\(app) was opened instead")
            opening = Opening(app: app, commands: [command])
        }
        kernel.needsSettling = true
    }

    /// The present app leaves first; then the wanted one is launched or comes back.
    func continueOpening() {
        guard let opening, let person = pad.sessions.activePerson, let manifest = pad.catalogue.installed(opening.app)
        else { return }
        if let foreground, let present = pad.apps[foreground] {
            let isWanted = present.identity.app == opening.app
            let goal: AppRun.Goal = isWanted ? .foreground : .background
            if present.goal != goal {
                pad.apps.set(goal, of: foreground)
                kernel.needsSettling = true
            }
            if isWanted { handURLs() }
            return
        }
        let launch =
            pad.apps.running(person, app: opening.app).last?.launch
            ?? pad.apps.start(manifest, person: person, goal: .foreground)
        pad.apps.set(.foreground, of: launch)
        foreground = launch
        handURLs()
        kernel.needsSettling = true
    }

    func goHome(_ command: Command) {
        guard pad.sessions.activePerson != nil else { return refuse(command, "nobody is signed in") }
        refuseOpening("the person went to the home screen")
        guard let foreground, pad.apps[foreground] != nil else { return done(command) }
        pad.apps.set(.background, of: foreground)
        homeCommands.append(command)
    }

    func lastUse(_ run: AppRun) -> Instant { uses[run.identity.launch] ?? .zero }

    func becameActive(_ launch: Int) {
        uses[launch] = now
        guard launch == foreground, let opening, pad.apps[launch]?.identity.app == opening.app else { return }
        self.opening = nil
        for command in opening.commands { done(command) }
    }
    /// In the background, or gone: the screen is free.
    func leftScreen(_ launch: Int) {
        guard launch == foreground, pad.apps[launch]?.goal != .foreground else { return }
        foreground = nil
        for command in homeCommands { done(command) }
        homeCommands = []
        kernel.needsSettling = true
    }

    /// A launch is gone, and so is its place on the screen.
    func lost(_ run: AppRun, _ reason: EndReason) {
        guard run.identity.launch == foreground else { return }
        foreground = nil
        if opening?.app == run.identity.app {
            // One that was on its way out already is launched again.
            if run.terminating == nil { refuseOpening("\(run.identity.app) ended (\(reason.rawValue))") }
            if let urls = opening?.urls { opening?.urls = run.mail.urls + urls }
        }
        for command in homeCommands { done(command) }
        homeCommands = []
    }
    func ends(_ ending: Ending) {
        switch ending {
        case .launch(let launch): uses[launch] = nil
        case .session(_, let reason): refuseOpening(reason)
        case .life(let reason):
            for command in homeCommands { refuse(command, reason) }
            homeCommands = []
            refuseOpening(reason)
        case .loginScreen, .account: break
        }
    }

    /// Answers a command when the app on the screen has left it.
    func answerWhenLeft(_ command: Command) { homeCommands.append(command) }
    var isOpening: Bool { opening != nil }
    var whatMoves: String? { opening.map { "\($0.app) is to be opened" } }

    func refuseOpening(of app: AppName, _ reason: String) {
        if opening?.app == app { refuseOpening(reason) }
    }
    func refuseOpening(_ reason: String) {
        for command in opening?.commands ?? [] { refuse(command, reason) }
        opening = nil
    }

    /// `app.suspend`: the app on the screen leaves it and is suspended at the first moment at which it may be: what it holds a background task
    /// for is waited for (S127).
    func suspendFront(_ command: Command) {
        guard pad.sessions.activePerson != nil else { return refuse(command, "nobody is signed in") }
        guard let foreground, pad.apps[foreground]?.goal == .foreground else {
            return refuse(command, "no app is on the screen")
        }
        suspendedApp = pad.apps[foreground]?.identity.app
        pad.apps.hurry(foreground)
        goHome(command)
    }
    /// `app.resume`: it comes back, unless the person went on to something else.
    func resumeFront(_ command: Command) {
        guard let app = suspendedApp else { return done(command) }
        suspendedApp = nil
        guard foreground == nil, opening == nil, !pad.protection.isLocked,
            pad.sessions.activePerson.map({ !pad.apps.running($0, app: app).isEmpty }) ?? false
        else { return done(command) }
        open(
            Command(
                from: command.from, message: Message(command.message.name, PadCommand.OpenApp(app: app).body),
                exchange: command.exchange))
    }

    /// `app.openURL {app, url}`: launched or brought to the foreground, told of the URL, then active. Answered when it is.
    func openURL(_ command: Command) {
        let wish = command.asked(PadCommand.OpenURL.self)
        guard !wish.url.isEmpty else { return refuse(command, "'url' is missing: say what to open") }
        show(wish.url, to: wish.app, command)
    }

    /// Lays a URL down for the launch that will have the screen.
    private func show(_ url: String, to app: AppName, _ command: Command) {
        let isShown =
            foreground.flatMap { pad.apps[$0] }.map { $0.identity.app == app && $0.goal == .foreground } ?? false
        if isShown, !pad.protection.isLocked, let foreground { pad.apps.hand([url], to: foreground) }
        open(command)
        if !isShown, opening?.app == app { opening?.urls.append(url) }
        handURLs()
    }
    /// Gives the URLs of the wish to the launch that fulfils it.
    func handURLs() {
        guard let opening, !opening.urls.isEmpty, let foreground, pad.apps[foreground]?.identity.app == opening.app
        else {
            return
        }
        pad.apps.hand(opening.urls, to: foreground)
        self.opening?.urls = []
        kernel.needsSettling = true
    }

    /// `app.receiveFile {app, name, data}`: a file arrives by AirDrop or from another app. It lies in `Documents/Inbox`, protected, and the
    /// app is opened with its URL.
    func receiveFile(_ command: Command) {
        let app = command.asked(PadCommand.ReceiveFile.self).app
        guard let manifest = pad.catalogue.installed(app) else {
            return refuse(command, "there is no app '\(app)' on \(deviceName)")
        }
        guard let (name, data) = command.whole(PadCommand.ReceiveFile.self).map({ ($0.file, $0.data) }),
            !name.isEmpty, !name.contains("/"), !name.hasPrefix(".")
        else { return refuse(command, "'name' and 'data' are needed: say what arrives") }
        guard let person = pad.sessions.activePerson, let volume = pad.storage.volume(of: person) else {
            return refuse(command, "nobody is signed in")
        }
        let folder = Pad.home(of: manifest.bundleID) + "/" + Pad.inbox
        let path = freePlace(name, in: folder, volume.disk)
        do {
            try volume.disk.makeFolder(folder)
            try volume.protection.set(.complete, path)
            try volume.disk.write(path, data, sync: true)
        } catch { return refuse(command, "\(name) cannot be kept: \(error)") }
        guard !pad.protection.isLocked else { return done(command) }
        show("file://" + path, to: app, command)
    }
    /// A second file of a name gets a number before its extension (ASSUMED); the first is not the sender's to change.
    private func freePlace(_ name: String, in folder: String, _ disk: Disk) -> String {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        var (path, number) = ("\(folder)/\(name)", 1)
        while disk.status(path) != nil {
            path = "\(folder)/\(name[..<dot])-\(number)\(name[dot...])"
            number += 1
        }
        return path
    }
}

extension Screen {
    func checkInvariants() throws(BrokenInvariant) {
        guard !kernel.isDown else { return }
        if let foreground {
            try invariant(pad.apps[foreground] != nil, "launch \(foreground) has the screen and is not alive")
        }
        try invariant(
            homeCommands.isEmpty || foreground != nil, "\(homeCommands.count) wait for an app to leave an empty screen")
        for launch in uses.keys.sorted() {
            try invariant(pad.apps[launch] != nil, "the use of launch \(launch) is remembered, and it is not alive")
        }
    }
}
