import FleetModel

/// The members of a record, field or file as CloudKit's web service has them (cloudkit-web-services.md 8). What an app or the service
/// sends goes through as it is: only these are looked at.
extension Value {
    var recordName: String? { self["recordName"]?.string }
    var recordType: Value? { self["recordType"] }
    var recordChangeTag: Value? { self["recordChangeTag"] }
    /// Fields by name.
    var recordFields: Object? {
        get { self["fields"]?.object }
        set { self["fields"] = newValue.map { .object($0) } }
    }
    /// The value of a field.
    var fieldContent: Value? {
        get { self["value"] }
        set { self["value"] = newValue }
    }
    var fieldType: String? { self["type"]?.string }

    // Of a file
    var fileChecksum: Value? { self["fileChecksum"] }
    var fileAddress: Value? {
        get { self["downloadURL"] }
        set { self["downloadURL"] = newValue }
    }
    /// Where an app has it.
    var filePath: Value? {
        get { self["path"] }
        set { self["path"] = newValue }
    }
    /// Its bytes, on their way between the two.
    var fileBytes: [UInt8]? {
        get { self["data"]?.data }
        set { self["data"] = newValue.map { .data($0) } }
    }
}

/// What an answer of CloudKit's web service holds, whichever call it answers (cloudkit-web-services.md 5 to 8).
struct WebPage: FieldGroup {
    var continuationMarker: String?
    var firstName: Value?
    var moreComing = false
    var records: [Value]?
    var results: [Value]?
    var subscriptions: [Value]?
    var syncToken: String?
    var userRecordName: String?
    var users: [Value]?
    var zones: [Value]?
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.optional("continuationMarker", &continuationMarker)
        fields.optional("firstName", &firstName)
        fields.unless(false, "moreComing", &moreComing)
        fields.optional("records", &records)
        fields.optional("results", &results)
        fields.optional("subscriptions", &subscriptions)
        fields.optional("syncToken", &syncToken)
        fields.optional("userRecordName", &userRecordName)
        fields.optional("users", &users)
        fields.optional("zones", &zones)
    }
}

/// A zone, record or subscription of such an answer: what tells whether it is one, or its error.
struct WebEntry: FieldGroup {
    var deleted = false
    var deletionReason: Value?
    var serverErrorCode: String?
    var subscriptionID: String?
    var zoneID: Zone?
    struct Zone: FieldGroup {
        var ownerRecordName: String?
        var zoneName: String?
        init() {}
        mutating func visit(_ fields: inout Fields) {
            fields.optional("ownerRecordName", &ownerRecordName)
            fields.optional("zoneName", &zoneName)
        }
    }
    /// The zone's name on the local link; nil where there is none.
    var zoneName: String? { zoneID.flatMap(RecordZone.name) }
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.unless(false, "deleted", &deleted)
        fields.optional("deletionReason", &deletionReason)
        fields.optional("serverErrorCode", &serverErrorCode)
        fields.optional("subscriptionID", &subscriptionID)
        fields.optional("zoneID", &zoneID)
    }
}

/// What came of one link to a share (cloudkit-web-services.md 10).
struct WebShareResult: FieldGroup {
    struct GUID: FieldGroup {
        var value = ""
        init() {}
        mutating func visit(_ fields: inout Fields) { fields.always("value", &value) }
    }
    var shortGUID: GUID?
    init() {}
    mutating func visit(_ fields: inout Fields) { fields.optional("shortGUID", &shortGUID) }
}

/// A link in a question about shares.
struct WebShareWish: FieldGroup {
    var rootRecordDesiredKeys: [String]?
    var shouldFetchRootRecord: Bool?
    var value = ""
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.optional("rootRecordDesiredKeys", &rootRecordDesiredKeys)
        fields.optional("shouldFetchRootRecord", &shouldFetchRootRecord)
        fields.always("value", &value)
    }
}

/// An error object of the service (cloudkit-web-services.md 9).
struct WebError: FieldGroup {
    var encryptedDataReset = false
    var reason: String?
    var retryAfter: Double?
    /// What is wrong with a share, in the words of iPads.
    var shareProblem: String?
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.unless(false, "encryptedDataReset", &encryptedDataReset)
        fields.optional("reason", &reason)
        fields.optional("retryAfter", &retryAfter)
        fields.optional("shareProblem", &shareProblem)
    }
}
