import PadApp

/// The declaration of an example app under the name of a bug: it shares the app's Info.plist and nothing else.
func variant(_ id: String, of app: AppDeclaration) -> AppDeclaration {
    var declaration = app
    declaration.name = id
    declaration.infoPlistPath = "homeroom_BugZoo.resources/InfoPlists/\(app.name)/Info.plist"
    declaration.bundleIdentifier = "com.example.\(id)"
    return declaration
}
