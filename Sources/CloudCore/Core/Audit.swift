import FleetModel

/// Writes down what was asked about records and what was answered, as a client could: the checks of the service know nothing else.
enum Audit {
    /// Of `/database/1/{container}/{environment}/{database}/...`; all that reads or changes records of a zone.
    private static let operations: Set<[String]> = [
        ["records", "modify"], ["records", "lookup"], ["records", "query"], ["records", "changes"],
        ["changes", "zone"],
        ["zones", "modify"],
    ]

    static func note(_ call: Call, _ answer: Answer, _ work: Work) {
        let path = call.target.path
        guard path.count == 7, path.starts(with: ["database", "1"]), operations.contains(Array(path[5...])),
            let asked = try? Value(json: call.http.body), let answered = try? Value(json: answer.body)
        else { return }
        var detail: Value = [
            "path": .string(path[2...].joined(separator: "/")), "device": .string(call.caller.device), "asked": asked,
            "answer": answered,
        ]
        if answer.isRepeated { detail["repeated"] = true }
        work.note(Note(.served, person: call.caller.name, channel: .record, detail: detail))
    }
}
