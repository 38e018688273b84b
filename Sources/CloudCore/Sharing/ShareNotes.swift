import FleetModel

/// Tells the history who may see what of whom, and until when: without it nobody could judge whether an edit has leaked.
enum ShareNotes {
    /// A person has accepted a share, or may see again what lies in it.
    static func joined(_ person: Person, _ share: String, in reach: Reach, _ work: Work) {
        guard let owner = try? work.owner(reach.space.owner).name else { return }
        work.mark(.shareJoined)
        work.note(Note(.shareJoined, person: person, channel: .record, detail: detail(share, reach, owner)))
    }
    /// A person has left a share, was taken out of it, or it has ended.
    static func left(_ account: Int64, _ share: String, in reach: Reach, _ work: Work) throws {
        let owner = try work.owner(reach.space.owner).name
        let person = try work.owner(account).name
        work.mark(.shareLeft)
        work.note(Note(.shareLeft, person: person, channel: .record, detail: detail(share, reach, owner)))
    }
    /// A record has come under a share, or with an empty name out of one.
    static func covered(_ row: RecordRow, by share: String, in reach: Reach, _ work: Work) throws {
        let owner = try work.owner(reach.space.owner).name
        let detail: Value = ["share": .string(share), "where": .string("\(reach.zone.name)/\(row.name)")]
        work.note(Note(.shareCovers, person: owner, channel: .record, tokens: row.tokens, detail: detail))
    }
    private static func detail(_ share: String, _ reach: Reach, _ owner: Person) -> Value {
        ["owner": .string(owner), "share": .string(share), "zone": .string(reach.zone.name)]
    }
}
