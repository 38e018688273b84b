/// What the World, faults and an administrator do to the Cloud (Docs/cloud-api.md): names of `Payload.command`.
public enum CloudCommand: String, Hashable, Sendable, CaseIterable {
    // Of the World
    case crash = "cloud.crash"
    case observe = "cloud.observe"
    case history = "cloud.history"
    case board = "cloud.board"
    // Of faults
    case deleteZones = "cloud.deleteZones"
    case mdm = "cloud.mdm"
    case quota = "cloud.quota"
    case expireTokens = "cloud.expireTokens"
    case revoke = "cloud.revoke"
    case suspend = "cloud.suspend"
    case refuseRecords = "cloud.refuseRecords"
    case delayIndex = "cloud.delayIndex"
    // Of administrators
    case account = "cloud.account"
    case accounts = "cloud.accounts"
    case apiToken = "cloud.apiToken"
    case password = "cloud.password"
    case pushTokens = "cloud.pushTokens"
    case webToken = "cloud.webToken"
    case key = "cloud.key"
    case revokeKey = "cloud.revokeKey"
    case mdmList = "cloud.mdmList"
    case containers = "cloud.containers"
    case resetContainer = "cloud.resetContainer"
    case deploy = "cloud.deploy"
    case index = "cloud.index"
    case deleteField = "cloud.deleteField"
    case register = "cloud.register"
    case team = "cloud.team"
    case role = "cloud.role"
    case member = "cloud.member"
    case publicQuota = "cloud.publicQuota"

    public func message(_ body: Value = .empty) -> Message { Message(rawValue, body) }
}
