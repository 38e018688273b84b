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
        guard finished.message.name == RecordMessages.Modify.name else { return }
        let answer = RecordMessages.Modify.Answer(lenient: finished.answer)
        let errors = answer.errors.pairs
        if !offered.isEmpty {
            let saved = Set(answer.saved.compactMap(\.recordName))
            for record in RecordMessages.Modify(lenient: finished.message.body).save {
                guard let name = record.recordName, saved.contains(name),
                    let tag = record.recordChangeTag?.string,
                    let place = place(name, finished), offered[place] == tag
                else { continue }
                offered[place] = nil
                pad.note(RecordNotes.mark(.conflictMerged, finished.app))
            }
        }
        // `quotaExceeded` of a record in a batch that was taken.
        if errors.contains(where: { AnsweredError(lenient: $0.value).code == 25 }) {
            pad.note(RecordNotes.mark(.quotaRefused, finished.app))
        }
        for error in errors {
            guard let tag = AnsweredError(lenient: error.value).serverRecord?.recordChangeTag?.string,
                let place = place(error.key, finished)
            else { continue }
            offered[place] = tag
        }
    }

    private func place(_ record: String, _ finished: FinishedOperation) -> Place? {
        let container = RecordMessages.Common(lenient: finished.message.body).container
        guard !container.isEmpty else { return nil }
        let zone = RecordZone.plain(
            RecordMessages.Modify(lenient: finished.message.body).zone ?? RecordZone.defaultName)
        return Place(app: finished.app, container: container, zone: zone, record: record)
    }
}
