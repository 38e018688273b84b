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
/// The key under which predicates name the record itself.
public let CKRecordRecordIDKey = "recordID"
/// The key under which predicates and sort descriptors name the person who saved the record first.
public let CKRecordCreatorUserRecordIDKey = "creatorUserRecordID"
/// The key under which predicates and sort descriptors name the time of the first save.
public let CKRecordCreationDateKey = "creationDate"
/// The key under which predicates and sort descriptors name the person who saved the record last.
public let CKRecordLastModifiedUserRecordIDKey = "lastModifiedUserRecordID"
/// The key under which predicates and sort descriptors name the time of the newest save.
public let CKRecordModificationDateKey = "modificationDate"
/// Fields of a share.
public let CKShareTitleKey = "cloudkit.title"
/// Field of a share: a picture's bytes.
public let CKShareThumbnailImageDataKey = "cloudkit.thumbnailImageData"
/// Field of a share: the kind of content, as a uniform type identifier.
public let CKShareTypeKey = "cloudkit.type"

extension CKRecord {
    /// Types of records that CloudKit makes. Source: CKRecord.SystemType.
    public enum SystemType {
        /// The type of the person's own record.
        public static let userRecord: RecordType = CKRecordTypeUserRecord
        /// The type of a share.
        public static let share: RecordType = CKRecordTypeShare
    }
    /// Names of a record's metadata, for predicates and sort descriptors. Source: CKRecord.SystemFieldKey.
    public enum SystemFieldKey {
        /// `CKRecordParentKey`.
        public static let parent: FieldKey = CKRecordParentKey
        /// `CKRecordShareKey`.
        public static let share: FieldKey = CKRecordShareKey
        /// `CKRecordRecordIDKey`.
        public static let recordID: FieldKey = CKRecordRecordIDKey
        /// `CKRecordCreatorUserRecordIDKey`.
        public static let creatorUserRecordID: FieldKey = CKRecordCreatorUserRecordIDKey
        /// `CKRecordCreationDateKey`.
        public static let creationDate: FieldKey = CKRecordCreationDateKey
        /// `CKRecordLastModifiedUserRecordIDKey`.
        public static let lastModifiedUserRecordID: FieldKey = CKRecordLastModifiedUserRecordIDKey
        /// `CKRecordModificationDateKey`.
        public static let modificationDate: FieldKey = CKRecordModificationDateKey
    }
}
