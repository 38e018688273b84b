import FleetModel

/// Steps that are commands to the iPad: what comes to it from outside, or is changed beside the apps (Docs/pad-commands.md).
extension Reading {
    func readCommand(_ word: String, _ fields: Fields) -> Message? {
        switch word {
        case "look": return appOf(fields).map { PadCommand.Read(app: $0).message }
        case "openURL": return readAppCommand(PadCommand.OpenURL.name, fields, ("url", "url", "what is opened"))
        case "receiveFile":
            guard
                let message = readAppCommand(
                    PadCommand.ReceiveFile.name, fields, ("item", "name", "the name of the file")),
                let text = fields.require("text", "what is in it")?.text()
            else { return nil }
            return message.with("data", .data(Array(text.utf8)))
        case "setting":
            guard let message = readAppCommand(PadCommand.ChangeSetting.name, fields, ("key", "key", "which setting")),
                let value = fields.require("value", "what it is set to")?.value()
            else { return nil }
            return message.with("value", value)
        case "wake", "wakeEnded":
            let mode = ("mode", "mode", "one of UIBackgroundModes, such as fetch or audio")
            guard let message = readAppCommand("device.\(word)", fields, mode) else { return nil }
            guard let lasting = fields["lasting"]?.flag() else { return message }
            return message.with("lasting", .bool(lasting))
        case "notice":
            guard let name = fields.require("notice", "its name, such as UIDeviceBatteryLevelDidChange")?.text() else {
                return nil
            }
            let message = PadCommand.GiveNotice { $0.notice = name }.message
            guard fields["app"] != nil else { return message }
            return appOf(fields).map { message.with("app", .string($0)) }
        default: return nil
        }
    }

    /// A command about an app with one text.
    private func readAppCommand(
        _ name: String, _ fields: Fields, _ text: (key: String, member: String, what: String)
    ) -> Message? {
        guard let app = appOf(fields), let value = fields.require(text.key, text.what)?.text() else { return nil }
        return Message(name, ["app": .string(app), text.member: .string(value)])
    }
}

extension Message {
    fileprivate func with(_ key: String, _ value: Value) -> Message {
        var body = body
        body[key] = value
        return Message(name, body)
    }
    /// The app that a person's deed brings to the front.
    var appShown: AppName? {
        [PadCommand.OpenURL.name, PadCommand.ReceiveFile.name].contains(name) ? self["app"]?.string : nil
    }
    /// The app that a person's deed finds in front.
    var appSeen: AppName? { name == PadCommand.Read.name ? self["app"]?.string : nil }
}
