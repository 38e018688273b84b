import CloudKit
import FleetModel
import PadApp
import Testing

/// Shares as objects: what an app makes of them before anything is sent, and what it keeps of them.
@Suite("Sharing", .timeLimit(.minutes(20))) struct SharingTests {
    @Test("A share can be made, looked at, archived and copied; its root knows it from then on")
    func share() {
        ScriptedPad().run {
            let root = record("n1")
            let share = CKShare(rootRecord: root)
            share[CKShare.SystemFieldKey.title] = "Notes"
            share.publicPermission = .readOnly
            #expect(share.recordType == CKRecordTypeShare && share.recordID.zoneID == zone && share.url == nil)
            #expect(root.share?.recordID == share.recordID)
            #expect(share.participants == [share.owner] && share.currentUserParticipant?.role == .owner)
            let guest = CKShare.Participant.oneTimeURLParticipant()
            guest.permission = .readWrite
            for _ in 0..<2 { share.addParticipant(guest) }
            #expect(share.participants.count == 2 && guest.type == .privateUser)
            share.removeParticipant(share.owner)
            let copy = try #require(share.copy() as? CKShare)
            share.removeParticipant(guest)
            #expect(share.participants == [share.owner] && copy.participants.count == 2)
            #expect(copy[CKShareTitleKey] == "Notes" && copy.publicPermission == .readOnly)
            let data = try NSKeyedArchiver.archivedData(withRootObject: copy, requiringSecureCoding: true)
            let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data))
            #expect(back.recordID == share.recordID && back[CKShareTitleKey] == "Notes")
            #expect(back.publicPermission == .readOnly && back.participants.count == 2)
            #expect(CKShare(recordZoneID: zone).recordID.recordName == CKRecordNameZoneWideShare)
            #expect(CKAllowedSharingOptions.standard.allowedParticipantAccessOptions == .any)
        }
    }

    @Test("A save says whom a share is for and what it is about; a link of another kind is not asked about")
    func wire() {
        let pad = ScriptedPad { savesAll($0) }
        pad.run {
            let root = record("n1")
            let share = CKShare(rootRecord: root)
            share.publicPermission = .readWrite
            let database = CKContainer.default().privateCloudDatabase
            _ = try await database.modifyRecords(saving: [root, share], deleting: [])
            let other = try #require(URL(string: "https://example.com/share/1"))
            do {
                _ = try await CKContainer.default().shareMetadata(for: other)
                Issue.record("a link of another kind was taken")
            } catch CKError.invalidArguments {}
        }
        let sent = pad.asked.first?["save"]?.array?.last
        #expect(sent?["forRecord"]?["recordName"] == "n1" && sent?["publicPermission"] == "READ_WRITE")
        #expect(sent?["participants"] == [] && pad.asked.count == 1)
    }
}
