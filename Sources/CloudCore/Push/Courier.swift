import FleetModel

/// Services whose changes are pushed as a bare hint: something changed there, come and look.
enum HintedService: String {
    case keyValue = "kvs", document, keychain
}

extension Work {
    /// Sends a hint to all devices of the account but the one that made the change.
    func pushHint(_ service: HintedService, topic: String, _ caller: Caller) throws {
        let message = Message(
            "push", ["account": .string(caller.name), "service": .string(service.rawValue), "topic": .string(topic)])
        for device in try Sessions.devices(of: caller.account, but: caller.device, self) { push(message, to: device) }
    }
}
