import CloudKit
import FleetModel
import PadApp
import Testing

/// Sharing is not modelled: its types are there, and what would reach another person is refused.
@Suite("Sharing", .timeLimit(.minutes(20))) struct SharingTests {
    @Test("A share can be made, looked at, archived and copied")
    func share() {
        ScriptedPad().run {
            let root = record("n1")
            let share = CKShare(rootRecord: root)
            share[CKShare.SystemFieldKey.title] = "Notes"
            share.publicPermission = .readOnly
            #expect(share.recordType == CKRecordTypeShare && share.recordID.zoneID == zone && share.url == nil)
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
            let data = try NSKeyedArchiver.archivedData(withRootObject: share, requiringSecureCoding: true)
            let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data)
            #expect(back?.recordID == share.recordID && back?[CKShareTitleKey] == "Notes")
            #expect(CKShare(recordZoneID: zone).recordID.recordName == CKRecordNameZoneWideShare)
            #expect(CKAllowedSharingOptions.standard.allowedParticipantAccessOptions == .any)
        }
    }

    @Test("Saving a share, accepting one and looking for people are refused in words, and nothing is sent")
    func refused() {
        let pad = ScriptedPad { savesAll($0) }
        let story = Story()
        pad.run {
            @Sendable func tell(_ error: (any Error)?) {
                let text = (error as? CKError)?.message.contains("sharing is not modelled") == true ? "refused" : "?"
                story.add(text)
            }
            let note = record("n1")
            do { try await database.save(CKShare(rootRecord: note)) } catch { tell(error) }
            let save = CKModifyRecordsOperation(recordsToSave: [note, CKShare(rootRecord: note)])
            save.modifyRecordsCompletionBlock = { tell($2) }
            database.add(save)
            let url = try #require(URL(string: "https://www.icloud.com/share/1"))
            let fetch = CKFetchShareMetadataOperation(shareURLs: [url])
            fetch.perShareMetadataBlock = { tell($2) }
            CKContainer.default().add(fetch)
            let people = CKFetchShareParticipantsOperation(userIdentityLookupInfos: [.init(phoneNumber: "1")])
            people.fetchShareParticipantsCompletionBlock = { tell($0) }
            CKContainer.default().add(people)
            let accept = CKAcceptSharesOperation(shareMetadatas: [])
            accept.acceptSharesCompletionBlock = { tell($0) }
            CKContainer.default().add(accept)
            await withCheckedContinuation { continuation in
                CKContainer.default().fetchShareMetadata(with: url) { _, error in
                    tell(error)
                    continuation.resume()
                }
            }
        }
        #expect(story.lines == Array(repeating: "refused", count: 6) && pad.asked.isEmpty)
    }
}
