import FleetModel

/// What each seed draws, and what the file fixes of it.
extension Reading {
    /// Texts, names, and the axes that are drawn. What the file says itself is fixed: `draw: all` leaves it alone.
    func readAxes(_ top: Fields, into scenario: inout Scenario) {
        let texts = TextStyle.allCases.map(\.rawValue)
        if let word = top["texts"]?.word(texts, "kind of text") { scenario.texts = TextStyle(rawValue: word) ?? .words }
        let items = ItemStyle.allCases.map(\.rawValue)
        if let word = top["items"]?.word(items, "kind of name") { scenario.items = ItemStyle(rawValue: word) ?? .plain }
        if let switches = top["switches"], case .mapping = switches.node {
            scenario.fixedSwitches = Set((switches.pairs() ?? []).map(\.value.name))
        }
        scenario.cloud = top["cloud"].map(readSettings) ?? Self.settings(knownSettings)
        if let settings = top["cloud"], case .mapping = settings.node {
            scenario.fixedSettings = Set((settings.pairs() ?? []).map(\.value.name))
        }
        guard let field = top["draw"] else { return }
        let fixed = Axis.allCases.filter { isFixed($0, top) }
        let named = readDrawn(field)
        for axis in named.isChosen ? named.axes : [] where fixed.contains(axis) {
            field.report("'\(axis.rawValue)' is drawn and given as well: leave one of them out")
        }
        scenario.draw = Axis.allCases.filter { named.axes.contains($0) && !fixed.contains($0) }
    }

    /// `FILE.ckdb` for all apps, `{app: FILE.ckdb}`, or `open`: everything is taken, and told.
    func readSchema(_ field: Field, into scenario: inout Scenario) {
        scenario.watchesSchema = true
        if case .mapping = field.node {
            for (app, file) in field.pairs() ?? [] {
                guard let app = app.word(apps, "app"), let file = file.text("a file in CloudKit's schema language")
                else { continue }
                scenario.schemaFiles[app] = file
            }
        } else if let file = field.text("'open', or a file in CloudKit's schema language"), file != "open" {
            for app in apps { scenario.schemaFiles[app] = file }
        }
    }

    /// Sides that the Cloud takes where the sources differ.
    private func readSettings(_ field: Field) -> Switches {
        var settings = Self.settings(knownSettings)
        guard let fields = field.fields(knownSettings.map(\.name)) else { return settings }
        for known in knownSettings {
            guard let given = fields[known.name], let value = given.word(known.values, "side") else { continue }
            if let wrong = settings.set(known.name, to: value) { given.report(wrong) }
        }
        return settings
    }
    private static func settings(_ known: [Switches.Switch]) -> Switches {
        Switches(known, noun: "setting", tellsDefaults: false)
    }

    private func isFixed(_ axis: Axis, _ top: Fields) -> Bool {
        switch axis {
        case .purgeAtSignOut, .slots, .capacity, .launchLimit, .texts, .items: return top[axis.rawValue] != nil
        // Each of them by itself.
        case .switches, .cloud: return false
        case .ipadsEach, .together, .close, .bulk:
            guard let work = top["work"], case .mapping = work.node else { return false }
            return (work.pairs() ?? []).contains { $0.value.name == axis.rawValue }
        }
    }

    /// `all`, a list of axes, or `{allBut: [...]}`.
    private func readDrawn(_ field: Field) -> (axes: [Axis], isChosen: Bool) {
        let known = Axis.allCases.map(\.rawValue)
        if case .mapping = field.node {
            guard let list = field.fields(["allBut"])?.require("allBut", "a list of \(Spelling.list(known))") else {
                return ([], false)
            }
            let left = list.items().compactMap { $0.word(known, "axis") }
            return (Axis.allCases.filter { !left.contains($0.rawValue) }, false)
        }
        if case .scalar = field.node {
            guard let word = field.word(known + ["all"], "axis") else { return ([], false) }
            return word == "all" ? (Axis.allCases, false) : (Axis.allCases.filter { $0.rawValue == word }, true)
        }
        let words = field.items().compactMap { $0.word(known, "axis") }
        if field.isEmptyList { field.report("'draw' is 'all' or a list of \(Spelling.list(known))") }
        reportDoubles(words, field)
        return (words.compactMap(Axis.init), true)
    }
}
