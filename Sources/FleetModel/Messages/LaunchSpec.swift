/// What a launch learns at its beginning (`HostOrder.launch`; Docs/local-link.md, Launch).
public struct LaunchSpec: FieldGroup {
    public var accountStatus: Int64 = 1
    public var bundle = ""
    /// The iPad notes what the app does (`HabitLint`).
    public var habits = false
    public var home = ""
    public var identity: String?
    public var person: Person = ""
    /// `user` or `background`.
    public var reason = ""
    /// An archive of an earlier launch's interface is there.
    public var restores = false
    public var seed: Int64?
    /// Changed in Settings; null removes.
    public var settings = Value.Object()
    public init() {}
    public mutating func visit(_ fields: inout Fields) {
        fields.unless(1, "accountStatus", &accountStatus)
        fields.always("bundle", &bundle)
        fields.unless(false, "habits", &habits)
        fields.always("home", &home)
        fields.nullable("identity", &identity)
        fields.always("person", &person)
        fields.always("reason", &reason)
        fields.unless(false, "restores", &restores)
        fields.optional("seed", &seed)
        fields.unless(Value.Object(), "settings", &settings)
    }
}
