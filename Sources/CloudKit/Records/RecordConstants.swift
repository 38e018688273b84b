// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The owner of one's own zones.
public let CKCurrentUserDefaultName = "__defaultOwner__"
/// The older name of `CKCurrentUserDefaultName`.
public let CKOwnerDefaultName = "__defaultOwner__"
/// The name of each database's default zone.
public let CKRecordZoneDefaultName = "_defaultZone"
/// The name of the record that stands for a share of a whole zone (cloudkit-framework.md 16).
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"

/// The type of the person's own record.
public let CKRecordTypeUserRecord = "Users"
/// The type of a share.
public let CKRecordTypeShare = "cloudkit.share"
/// The key under which predicates name the parent of a record.
public let CKRecordParentKey = "parent"
/// The key under which predicates name the share of a record.
public let CKRecordShareKey = "share"
public let CKRecordRecordIDKey = "recordID"
public let CKRecordCreatorUserRecordIDKey = "creatorUserRecordID"
public let CKRecordCreationDateKey = "creationDate"
public let CKRecordLastModifiedUserRecordIDKey = "lastModifiedUserRecordID"
public let CKRecordModificationDateKey = "modificationDate"
/// Fields of a share.
public let CKShareTitleKey = "cloudkit.title"
public let CKShareThumbnailImageDataKey = "cloudkit.thumbnailImageData"
public let CKShareTypeKey = "cloudkit.type"

extension CKRecord {
    /// Types of records that CloudKit makes. Source: CKRecord.SystemType.
    public enum SystemType {
        public static let userRecord: RecordType = CKRecordTypeUserRecord
        public static let share: RecordType = CKRecordTypeShare
    }
    /// Names of a record's metadata, for predicates and sort descriptors. Source: CKRecord.SystemFieldKey.
    public enum SystemFieldKey {
        public static let parent: FieldKey = CKRecordParentKey
        public static let share: FieldKey = CKRecordShareKey
        public static let recordID: FieldKey = CKRecordRecordIDKey
        public static let creatorUserRecordID: FieldKey = CKRecordCreatorUserRecordIDKey
        public static let creationDate: FieldKey = CKRecordCreationDateKey
        public static let lastModifiedUserRecordID: FieldKey = CKRecordLastModifiedUserRecordIDKey
        public static let modificationDate: FieldKey = CKRecordModificationDateKey
    }
}
