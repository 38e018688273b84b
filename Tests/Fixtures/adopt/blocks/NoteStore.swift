//
//  NoteStore.swift
//  Notes that people keep in their private database, with completion blocks throughout.
//

import CloudKit
import UIKit
import os.log

private let log = OSLog(subsystem: "com.example.notes", category: "sync")

class NoteStore: NSObject {
    static let shared = NoteStore()
    static let zoneName = "Notes"

    let container = CKContainer.default()
    lazy var database = container.privateCloudDatabase
    let zoneID = CKRecordZone.ID(zoneName: NoteStore.zoneName, ownerName: CKCurrentUserDefaultName)
    private var observers = [NSObjectProtocol]()
    private var notes = [CKRecord.ID: CKRecord]()
    private var changeToken: CKServerChangeToken? {
        get {
            guard let data = UserDefaults.standard.data(forKey: "token") else { return nil }
            return try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
        }
        set {
            guard let token = newValue,
                let data = try? NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
            else { return }
            UserDefaults.standard.set(data, forKey: "token")
        }
    }

    override init() {
        super.init()
        let center = NotificationCenter.default
        center.addObserver(self, selector: #selector(accountChanged), name: .CKAccountChanged, object: nil)
        observers.append(
            center.addObserver(forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main) {
                [weak self] _ in
                self?.fetchChanges { _ in }
            })
        UserDefaults.standard.register(defaults: ["sortByDate": true])
    }

    deinit {
        observers.forEach { NotificationCenter.default.removeObserver($0) }
    }

    @objc func accountChanged(_ notification: Notification) {
        container.accountStatus { status, error in
            os_log("account is now %d", log: log, type: .info, status.rawValue)
            if status == .available { self.createZone { _ in } }
        }
    }

    func createZone(completion: @escaping (Error?) -> Void) {
        database.save(CKRecordZone(zoneID: zoneID)) { zone, error in
            if let error = error as? CKError, error.code == .networkFailure {
                DispatchQueue.main.asyncAfter(deadline: .now() + 5) { self.createZone(completion: completion) }
                return
            }
            completion(error)
        }
    }

    func add(_ text: String, completion: @escaping (CKRecord?, Error?) -> Void) {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID))
        record["text"] = text as NSString
        record["created"] = Date() as NSDate
        record["words"] = text.split(separator: " ").count as NSNumber
        database.save(record) { saved, error in
            DispatchQueue.main.async {
                if let saved = saved { self.notes[saved.recordID] = saved }
                completion(saved, error)
            }
        }
    }

    func delete(_ id: CKRecord.ID, completion: @escaping (Error?) -> Void) {
        database.delete(withRecordID: id) { _, error in
            if let error = error {
                os_log("cannot delete: %@", log: log, type: .error, error.localizedDescription)
            }
            completion(error)
        }
    }

    func fetchChanges(completion: @escaping (Error?) -> Void) {
        UIApplication.shared.isNetworkActivityIndicatorVisible = true
        let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
        options.previousServerChangeToken = changeToken
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID], optionsByRecordZoneID: [zoneID: options])
        operation.recordChangedBlock = { record in
            self.notes[record.recordID] = record
        }
        operation.recordWithIDWasDeletedBlock = { id, _ in
            self.notes[id] = nil
        }
        operation.recordZoneFetchCompletionBlock = { _, token, _, _, error in
            if error == nil { self.changeToken = token }
        }
        operation.fetchRecordZoneChangesCompletionBlock = { error in
            DispatchQueue.main.async {
                UIApplication.shared.isNetworkActivityIndicatorVisible = false
                UIApplication.shared.applicationIconBadgeNumber = self.notes.count
                completion(error)
            }
        }
        operation.qualityOfService = .userInitiated
        database.add(operation)
    }

    func find(_ word: String, completion: @escaping ([CKRecord]) -> Void) {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "self contains %@", word))
        query.sortDescriptors = [NSSortDescriptor(key: "created", ascending: false)]
        database.perform(query, inZoneWith: zoneID) { records, error in
            completion(records ?? [])
        }
    }
}
