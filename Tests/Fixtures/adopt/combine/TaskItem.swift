import CloudKit
import SwiftUI

struct TaskItem: Identifiable, Equatable {
    var id: String
    var title: String
    var done: Bool
    var colour: Color = .blue

    init(id: String = UUID().uuidString, title: String, done: Bool = false) {
        self.id = id
        self.title = title
        self.done = done
    }

    init(record: CKRecord) {
        id = record.recordID.recordName
        title = record["title"] ?? ""
        done = (record["done"] as? Int) == 1
    }

    var record: CKRecord {
        let record = CKRecord(recordType: "Task", recordID: .init(recordName: id))
        record["title"] = title
        record["done"] = done ? 1 : 0
        return record
    }
}

/// A list of our own that happens to have the name of something in a framework that is not here.
struct Section<Value> {
    var header: String
    var values: [Value]

    init(_ header: String, values: [Value]) {
        self.header = header
        self.values = values
    }
}

extension Array where Element == TaskItem {
    var sections: [Section<TaskItem>] {
        [Section("Open", values: filter { !$0.done }), Section("Done", values: filter(\.done))]
    }
}
