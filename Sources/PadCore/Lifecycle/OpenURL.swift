import FleetModel
import Storage

/// URLs and files that come to an app from outside (app-lifecycle.md 2, 13; S202, S203).
extension Pad {
    /// `app.openURL {app, url}`: launched or brought to the foreground, told of the URL, then active. Answered when it is.
    func openURL(_ command: Command) {
        guard let url = command.message["url"]?.string, !url.isEmpty else {
            return refuse(command, "'url' is missing: say what to open")
        }
        show(["url": .string(url)], command)
    }

    /// Lays a URL down for the launch that will have the screen.
    private func show(_ body: Value, _ command: Command) {
        let app = command.message["app"]?.string
        let isShown = foreground.flatMap { runs[$0] }.map { $0.identity.app == app && $0.goal == .foreground } ?? false
        if isShown, !isLocked, let foreground { runs[foreground]?.urls.append(body) }
        open(command)
        if !isShown, opening?.app == app { opening?.urls.append(body) }
        handURLs()
    }
    /// Gives the URLs of the wish to the launch that fulfils it.
    func handURLs() {
        guard let opening, !opening.urls.isEmpty, let foreground, runs[foreground]?.identity.app == opening.app else {
            return
        }
        runs[foreground]?.urls += opening.urls
        self.opening?.urls = []
        needsSettling = true
    }

    /// `app.receiveFile {app, name, data}`: a file arrives by AirDrop or from another app. It lies in `Documents/Inbox`, protected, and the
    /// app is opened with its URL.
    func receiveFile(_ command: Command) {
        guard let app = command.message["app"]?.string, let manifest = installed(app) else {
            return refuse(command, "there is no app '\(command.message["app"]?.string ?? "")' on \(deviceName)")
        }
        guard let name = command.message["name"]?.string, !name.isEmpty, !name.contains("/"), !name.hasPrefix("."),
            let data = command.message["data"]?.data
        else { return refuse(command, "'name' and 'data' are needed: say what arrives") }
        guard let person = session.activePerson, let volume = volume(of: person) else {
            return refuse(command, "nobody is signed in")
        }
        let folder = Self.home(of: manifest.bundleID) + "/" + Self.inbox
        let path = freePlace(name, in: folder, volume.disk)
        do {
            try volume.disk.makeFolder(folder)
            try volume.protection.set(.complete, path)
            try volume.disk.write(path, data, sync: true)
        } catch { return refuse(command, "\(name) cannot be kept: \(error)") }
        guard !isLocked else { return done(command) }
        show(["url": .string("file://" + path)], command)
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
    /// Source: app-lifecycle.md 13: received files, read and delete only.
    static let inbox = "Documents/Inbox"
}
