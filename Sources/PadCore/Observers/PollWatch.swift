import FleetModel

/// How often an app asks the same question again and is told the same, though nothing has happened in between that would be a reason to
/// ask: a push would have told it (S204). For `HabitLint` only.
struct PollWatch {
    private struct Question: Hashable {
        var launch: Int
        var text: String
    }
    private struct Answer {
        var digest: UInt64
        /// How often in a row it was the same for nothing.
        var times: Int64 = 0
    }
    private var open: [FetchWatch.Question: Question] = [:]
    private var last: [Question: Answer] = [:]

    /// An app posts a message: a question is kept until it is answered, anything else that it sends is a reason to ask anew.
    mutating func asked(_ message: Message, _ exchange: UInt64, _ app: AppIdentity) {
        if let text = Self.question(message) {
            open[FetchWatch.Question(launch: app.launch, exchange: exchange)] = Question(launch: app.launch, text: text)
        } else if Self.isDeed(message) {
            stir(app.launch)
        }
    }
    /// - Returns: how often in a row the answer was the same for nothing; nil when that says nothing.
    mutating func answered(_ message: Message, _ exchange: UInt64, _ app: AppIdentity) -> Int64? {
        guard let question = open.removeValue(forKey: FetchWatch.Question(launch: app.launch, exchange: exchange)),
            message.body.linkError == nil, TransferMessages.Completed(lenient: message.body).status ?? 200 < 400
        else { return nil }
        var body = message.body
        body["token"] = nil
        let digest = StableHash.of(0, body.json)
        var answer = Answer(digest: digest)
        if let before = last[question], before.digest == digest { answer.times = before.times + 1 }
        last[question] = answer
        return answer.times
    }
    /// Something has happened: to ask is no polling.
    mutating func stir(_ launch: Int) {
        for question in last.keys where question.launch == launch { last[question]?.times = 0 }
    }
    mutating func ended(_ launch: Int) {
        open = open.filter { $0.key.launch != launch }
        last = last.filter { $0.key.launch != launch }
    }

    /// What is asked, without what differs each time; nil for what is no question to a service.
    private static func question(_ message: Message) -> String? {
        switch message.name {
        case RecordMessages.Query.name, RecordMessages.Lookup.name, RecordMessages.ZoneChanges.name,
            RecordMessages.DatabaseChanges.name:
            var body = message.body
            for key in ["op", "token"] { body[key] = nil }
            return message.name + body.json
        case TransferMessages.Send.name:
            let asked = TransferMessages.Send(lenient: message.body)
            return asked.method == "GET" ? "GET \(asked.url)" : nil
        default: return nil
        }
    }
    /// What changes something at a service.
    private static func isDeed(_ message: Message) -> Bool {
        [RecordMessages.Modify.name, RecordMessages.Zones.name, KeyValueMessages.Set.name, TransferMessages.Send.name]
            .contains(message.name)
    }
}
