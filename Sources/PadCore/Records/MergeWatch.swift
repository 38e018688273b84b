import FleetModel

/// An operation that has its final answer.
struct FinishedOperation {
    var message: Message
    /// The launch that handed it over.
    var app: AppIdentity
    var answer: Value
}

/// Sees when an app did what a conflict asks for: took the server's record and saved it again. It makes the mark
/// `conflict-merged`, by which a scenario shows that conflicts really happened and were worked on.
struct MergeWatch {
    private struct Place: Hashable {
        var app: AppIdentity
        var container: String
        var zone: String
        var record: String
    }
    /// Change tag of the server's record that a launch was given with a conflict.
    private var offered: [Place: String] = [:]

    mutating func removeAll() { offered = [:] }
    mutating func ended(_ app: AppIdentity) {
        if !offered.isEmpty { offered = offered.filter { $0.key.app != app } }
    }

    mutating func see(_ finished: FinishedOperation, _ pad: any PadServices) {
        guard finished.message.name == "ck.modify" else { return }
        let errors = finished.answer["errors"]?.object?.pairs ?? []
        if !offered.isEmpty {
            let saved = Set((finished.answer["saved"]?.array ?? []).compactMap { $0["recordName"]?.string })
            for record in finished.message["save"]?.array ?? [] {
                guard let name = record["recordName"]?.string, saved.contains(name),
                    let tag = record["recordChangeTag"]?.string,
                    let place = place(name, finished), offered[place] == tag
                else { continue }
                offered[place] = nil
                pad.note(RecordNotes.mark("conflict-merged", finished.app))
            }
        }
        // `quotaExceeded` of a record in a batch that was taken.
        if errors.contains(where: { $0.value["code"] == 25 }) {
            pad.note(RecordNotes.mark("quota-refused", finished.app))
        }
        for error in errors {
            guard let tag = error.value["serverRecord"]?["recordChangeTag"]?.string,
                let place = place(error.key, finished)
            else { continue }
            offered[place] = tag
        }
    }

    private func place(_ record: String, _ finished: FinishedOperation) -> Place? {
        guard let container = finished.message["container"]?.string else { return nil }
        let zone = RecordZone.plain(finished.message["zone"]?.string ?? RecordZone.defaultName)
        return Place(app: finished.app, container: container, zone: zone, record: record)
    }
}
