import Testing

@testable import Adopt

/// Small sources and what is found in them.
@Suite("Findings in Swift sources", .timeLimit(.minutes(20))) struct FindingTests {
    /// `LINE NAME` of each finding of a kind.
    private func found(
        _ source: String, _ kind: Finding.Kind = .change, imports: String = "import CloudKit; import Foundation"
    ) -> [String] {
        Adoption([SourceFile(path: "a.swift", text: imports + "\n" + source)]).findings.filter { $0.kind == kind }.map {
            "\($0.line) \($0.name)"
        }
    }

    @Test(
        "A member that the shadow does not have is found through properties, locals, chains, optionals and closures' parameters"
    )
    func members() {
        let source = """
            class Store {
                let database = CKContainer.default().privateCloudDatabase
                private var records: [CKRecord] = []
                func go(_ given: CKRecord?) {
                    FileManager.default.enumerator(atPath: "")
                    let files = FileManager.default
                    files.trashItem(at: self.place)
                    given?.nothing()
                    if let given { given.nothing() }
                    for record in records { record.nothing() }
                    records.forEach { $0.nothing() }
                    database.fetch(withRecordID: CKRecord.ID(recordName: "a")) { record, error in
                        record?.nothing()
                        record?.recordID.zoneID.nothing()
                    }
                    let operation = CKModifyRecordsOperation(recordsToSave: [], recordIDsToDelete: nil)
                    operation.perRecordSaveBlock = { id, result in id.nothing() }
                }
            }
            """
        #expect(
            found(source) == [
                "6 FileManager.enumerator", "8 FileManager.trashItem", "9 CKRecord.nothing", "10 CKRecord.nothing",
                "11 CKRecord.nothing",
                "12 CKRecord.nothing", "14 CKRecord.nothing", "15 CKRecordZone.ID.nothing", "18 CKRecord.ID.nothing",
            ])
    }

    @Test(
        "A call in a form that is not here is found; optional arguments, closures behind the call and variadic ones fit"
    )
    func forms() {
        let source = """
            func go(_ database: CKDatabase, _ record: CKRecord) {
                database.save(record) { _, _ in }
                database.save(record, completionHandler: { _, _ in })
                database.save(record, policy: 1)
                _ = UserDefaults(suiteName: "a")
                _ = CKRecord(recordType: "a", recordID: .init(recordName: "b"))
                _ = CKRecord(type: "a")
                let center = NotificationCenter.default
                center.addObserver(forName: nil, object: nil, queue: nil)
                { _ in }
            }
            """
        #expect(found(source) == ["5 CKDatabase.save(_:policy:)", "6 UserDefaults(suiteName:)", "8 CKRecord(type:)"])
    }

    @Test(
        "What the author declares is there: types with the names of a framework's, extensions, generic parameters, locals"
    )
    func own() {
        let source = """
            struct List<State> { var view: State }
            protocol View {}
            extension FileManager { func enumerator(atPath: String) -> [String] { [] } }
            extension CKRecord { var nothing: Int { 0 } }
            func go<Text: View>(_ text: Text, record: CKRecord) -> List<Text> {
                _ = FileManager.default.enumerator(atPath: "")
                _ = record.nothing
                let Color = 1
                print(Color)
                return List(view: text)
            }
            """
        #expect(found(source, imports: "import SwiftUI; import CloudKit") == ["1 import SwiftUI"])
    }

    @Test("A name of a framework counts only where the file imports it, and not in code for another platform")
    func imports() {
        let source = "let a: AnyCancellable? = nil"
        #expect(found(source) == [])
        #expect(found(source, imports: "import Combine") == ["1 import Combine", "2 AnyCancellable"])
        #expect(found("#if canImport(Combine)\nimport Combine\n\(source)\n#endif") == [])
        #expect(found("let a: UIColor? = nil", imports: "import SwiftUI") == ["1 import SwiftUI", "2 UIColor"])
    }

    @Test("Objective-C: attributes, selectors, key paths, and what only its NSObject has")
    func objectiveC() {
        let source = """
            @objcMembers class A: NSObject {
                @objc dynamic var a = 1
                func go() {
                    NotificationCenter.default.addObserver(self, selector: #selector(go), name: nil, object: nil)
                    observe(\\.a) { _, _ in }
                    print(#keyPath(A.a), value(forKey: "a"))
                }
                override func observeValue(forKeyPath: String?, of: Any?, change: [String: Any]?, context: Int?) {}
            }
            class B: Operation { func c() { willChangeValue(forKey: "isFinished") } }
            """
        #expect(
            found(source)
                == [
                    "2 @objcMembers", "3 @objc", "5 #selector", "6 NSObject.observe", "7 #keyPath", "7 NSObject.value",
                    "9 observeValue",
                ])
    }

    @Test("What compiles and ends a run, and what compiles and does less, are told apart from what does not compile")
    func kinds() {
        let source = """
            func go(_ share: CKShare) {
                Thread.detachNewThread { }
                let thread = Thread { }
                Thread.sleep(forTimeInterval: 1)
                _ = share.allowsAccessRequests
            }
            """
        #expect(found(source) == [])
        #expect(found(source, .stops) == ["3 Thread.detachNewThread", "4 Thread.init"])
        #expect(found(source, .differs) == ["6 CKShare.allowsAccessRequests"])
    }

    @Test("Where a type is not known, nothing is said")
    func unknown() {
        let source = """
            func go(_ box: Box, pair: (CKRecord, Int)) {
                box.value.nothing()
                let sum = pair.1 + 2
                sum.nothing()
                [1, 2].nothing()
                make().nothing()
                let record = maybe ? CKRecord(recordType: "a") : nil
                record.map { $0 }
            }
            """
        #expect(found(source) == [])
    }
}
