import FleetModel
import Storage

/// `records/resolve`: what a short GUID stands for (cloudkit-web-services.md 5.5).
enum ResolveShares {
    /// GUIDs of one request, as records (cloudkit-web-services.md 10).
    static let guidsMax = 200

    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        try ShareInvitation.each(call, work) { invitation in try invitation.result(work) }
    }
}

/// `records/accept`: the caller takes part from now on, and the zone is in his shared database. May be repeated.
enum AcceptShares {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        try ShareInvitation.each(call, work) { invitation in
            var invitation = invitation
            try invitation.accept(work)
            return try invitation.result(work)
        }
    }
}

/// A share as one person comes to it by its GUID.
struct ShareInvitation {
    let share: ShareRecord
    let reach: Reach
    let caller: Caller
    /// The request's entry.
    let wish: Value
    /// Nil for the owner, and for who has only the GUID.
    private var participant: ShareParticipant?

    static func each(_ call: Call, _ work: Work, _ body: (ShareInvitation) throws -> Value) throws -> Answer {
        let space = try Space(call)
        guard space.isPublic else {
            throw CloudError.badRequest("short GUIDs are resolved in the public database's path")
        }
        try call.requirePerson("a share")
        let guids = try call.json().list("shortGUIDs")
        guard guids.count <= ResolveShares.guidsMax else {
            throw CloudError.badRequest("\(guids.count) GUIDs are more than \(ResolveShares.guidsMax)")
        }
        let results: [Value] = try guids.map { wish in
            let guid = try wish.text("value")
            do {
                return try body(ShareInvitation(wish, guid, in: space, call.caller, work))
            } catch let problem as CloudError {
                return problem.naming("shortGUID", ["value": .string(guid)]).body(uuid: ModifyRecords.uuid(guid, work))
            }
        }
        return Answer(json: ["results": .array(results)])
    }

    /// - Throws: `NOT_FOUND` for a GUID of no share, `ACCESS_DENIED` to who is not invited to a private one.
    init(_ wish: Value, _ guid: String, in space: Space, _ caller: Caller, _ work: Work) throws {
        guard let found = try ShareRecord.find(guid: guid, in: space.place, work) else {
            throw CloudError(.notFound, "there is no share with this GUID in '\(space.container)'")
        }
        (share, reach) = found
        try RestrictUser.check(owner: reach.space.owner, space.container, work)
        self.caller = caller
        self.wish = wish
        participant = try ShareParticipant.all(of: share.name, in: reach.zone, work).first { participant in
            try participant.account == caller.account
                || participant.account == nil && People.find(participant.lookup, in: space, work) == caller.account
        }
        // Who is in the list with 'NONE' is shut out by name, also of a share that is open to others.
        guard isOwner || (participant?.permission ?? share.permission) != "NONE" else {
            let refusal = CloudError(.accessDenied, "the share is for invited people; ask its owner")
            // An invitation that nobody is known by may be the caller's, under an address that the service does not know.
            let isUnclear = try participant == nil && Self.hasUnknown(share, reach, work)
            throw isUnclear ? refusal.naming("shareProblem", "participantMayNeedVerification") : refusal
        }
    }
    private static func hasUnknown(_ share: ShareRecord, _ reach: Reach, _ work: Work) throws -> Bool {
        try ShareParticipant.all(of: share.name, in: reach.zone, work).contains { invited in
            try invited.account == nil && People.find(invited.lookup, in: reach.space, work) == nil
        }
    }
    private var isOwner: Bool { caller.account == reach.space.owner }

    mutating func accept(_ work: Work) throws {
        guard !isOwner else { return }
        if var invited = participant {
            guard invited.status != "ACCEPTED" || invited.account != caller.account else { return }
            ShareNotes.joined(caller.name, share.name, in: reach, work)
            invited.account = caller.account
            invited.status = "ACCEPTED"
            try invited.update(work)
            participant = invited
        } else {
            let name = UsersCaller.recordName(of: caller.name, in: reach.space, work)
            ShareNotes.joined(caller.name, share.name, in: reach, work)
            try ShareParticipant.add(
                ["userRecordName": .string(name)], account: caller.account, type: "PUBLIC_USER",
                permission: share.permission, status: "ACCEPTED", to: share.name, in: reach.zone, work)
            participant = try ShareParticipant.all(of: share.name, in: reach.zone, work).first {
                $0.account == caller.account
            }
        }
        try SharedZones.join(reach, caller.account, work)
        try ShareCover.touch(share.name, in: reach, by: caller, work)
    }

    /// cloudkit-web-services.md 5.5.
    func result(_ work: Work) throws -> Value {
        let name = UsersCaller.recordName(of: try work.owner(reach.space.owner).name, in: reach.space, work)
        let identifier = Zone.identifier(reach.zone.name, owner: name)
        let shown = Reach(space: reach.space, zone: reach.zone, identifier: identifier)
        var result: Value = [
            "containerIdentifier": .string(reach.space.container), "databaseScope": isOwner ? "PRIVATE" : "SHARED",
            "environment": .string(reach.space.environment),
            "ownerIdentity": try People.profile(of: reach.space.owner, work).identity(
                in: reach.space, showsName: true, work),
            "participantPermission": .string(isOwner ? "READ_WRITE" : participant?.permission ?? share.permission),
            "participantStatus": .string(isOwner ? "ACCEPTED" : participant?.status ?? "PENDING"),
            "participantType": .string(isOwner ? "OWNER" : participant?.type ?? "PUBLIC_USER"),
            "shortGUID": ["value": .string(share.guid)], "zoneID": identifier,
        ]
        if !share.root.isEmpty { result["rootRecordName"] = .string(share.root) }
        if let row = try RecordRow.find(share.name, in: reach.zone, work), !row.isDeleted {
            result["share"] = try RecordView(keys: nil).body(row, in: shown, caller, work)
        }
        if try wish.flag("shouldFetchRootRecord", otherwise: false), !share.root.isEmpty,
            let row = try RecordRow.find(share.root, in: reach.zone, work), !row.isDeleted
        {
            let view = RecordView(keys: try wish.optionalTexts("rootRecordDesiredKeys"))
            result["rootRecord"] = try view.body(row, in: shown, caller, work)
        }
        return result
    }
}
