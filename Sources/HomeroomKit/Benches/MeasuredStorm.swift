import Load

/// The storm of a scenario that a bench writes, in live: only it is played, and nothing is judged.
struct MeasuredStorm {
    /// The scenario; it is a measured one.
    var text: String
    /// What progress calls it.
    var title: String
    var seed: UInt64
    var live: LiveSettings

    /// - Parameter scratch: where the run leaves what it writes; the caller removes it.
    func figures(scratch: String) throws -> RunFigures {
        let file = "\(scratch)/scenario.yaml"
        let scenario = try ScenarioFiles.parse(text, file: file).get()
        let out = "\(scratch)/results"
        var runner = Runner(
            loaded: LoadedScenario(scenario: scenario, text: text, file: file), seed: seed, mode: .live, out: out)
        runner.live = live
        runner.endsAfterStorm = true
        runner.title = title
        _ = try runner.run()
        let figures = try FigureFiles.read(out + "/figures.json")
        Folders.remove(out)
        return figures
    }
}
