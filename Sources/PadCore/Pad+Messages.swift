import FleetModel

/// Finds who answers a message of an app: a service of the system or a daemon, by the prefix of its name.
extension Pad {
    /// Answers a synchronous call. Every call is answered, that of a process which has just died too.
    func serve(_ message: Message, from sender: ParticipantID) -> Value {
        guard let app = self.sender(of: sender) else {
            return LinkError.malformed("this process does not run on \(kernel.spec.deviceName)").body
        }
        kernel.report(.asked(message, exchange: message.handOverExchange, app))
        switch message.service {
        case "file": return storage.files.serveFile(message, app)
        case "app": return apps.serveLifecycle(message, app)
        case "identity" where message.name == IdentityMessages.Get.name: return accounts.identityBody(of: app.person)
        case "identity" where message.name == IdentityMessages.Taken.name: return accounts.takeIdentity(message, app)
        default: break
        }
        guard let answer = daemons.call(message, from: app) else {
            return LinkError.malformed("no service answers '\(message.name)'; see Docs/local-link.md").body
        }
        storage.noteFull(answer, app)
        kernel.needsSettling = true
        kernel.report(.served(message, app))
        if message.name == DocumentMessages.Container.name, let path = answer["path"]?.string {
            storage.files.opened(container: path, by: app.launch)
        }
        return answer
    }

    func receive(_ message: Message, exchange: UInt64, from sender: ParticipantID) {
        guard let app = self.sender(of: sender) else { return }
        kernel.needsSettling = true
        kernel.report(.asked(message, exchange: exchange, app))
        switch message.name {
        // What only the app's side can see: it is for those who look on.
        case AppMessages.Habit.name: return
        case FileMessages.Locks.name: return storage.files.learnLocks(message, app.launch)
        case HandMessages.Began.name: return apps.questions.questionBegan(message, app.launch)
        default: break
        }
        switch message.service {
        case "app": return apps.callbackReturned(message, exchange, app.launch)
        case "ui": return apps.questions.questionAnswered(message, exchange, app.launch)
        default: break
        }
        guard !daemons.post(message, exchange: exchange, from: app), exchange != 0 else { return }
        let error = LinkError.malformed("no service answers '\(message.name)'; see Docs/local-link.md")
        apps.post(Message(message.name, error.body), exchange: exchange, to: app)
    }

    private func sender(of message: ParticipantID) -> AppIdentity? {
        guard case .app(kernel.spec.number, let launch) = message else { return nil }
        return apps[launch]?.identity
    }
}

extension Message {
    /// `kvs` of `kvs.set`.
    var service: String { name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name }
}
