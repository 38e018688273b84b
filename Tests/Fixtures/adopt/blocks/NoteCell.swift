import CloudKit
import UIKit

/// What a list shows of a note.
final class NoteCell: UITableViewCell {
    @IBOutlet weak var titleLabel: UILabel!

    func show(_ record: CKRecord) {
        titleLabel.text = record["text"] as? String
        backgroundColor = record.creationDate == nil ? UIColor.lightGray : .white
    }
}

struct NoteSummary {
    let title: String
    let day: Date?

    init(record: CKRecord) {
        title = (record["text"] as? String)?.components(separatedBy: .newlines).first ?? ""
        day = record.modificationDate
    }

    #if os(iOS)
        var image: UIImage? { UIImage(systemName: "note") }
    #endif

    var label: String {
        #if canImport(AppKit)
            return NSAttributedString(string: title).string
        #else
            return title.uppercased()
        #endif
    }
}
