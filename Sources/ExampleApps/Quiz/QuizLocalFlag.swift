import Ubiquity

/// Quiz with one mistake (bug zoo kvs-01): "has been set up" is a fact about the person, yet it is kept in this iPad's defaults.
///
/// A launch without the flag - the person's first on another iPad, or the first after a purge - sets the quiz up again and lays its
/// starter values over the person's answers in iCloud.
final class QuizLocalFlag: Quiz {
    nonisolated override class var declaration: AppDeclaration { quizDeclaration("quiz-local-flag") }

    override func prepareFirstRun() {
        if !UserDefaults.standard.bool(forKey: "hasLaunchedBefore") {
            for question in 1...Self.questions { store.set("", forKey: "answer-\(question)") }
            UserDefaults.standard.set(true, forKey: "hasLaunchedBefore")
        }
        super.prepareFirstRun()
    }
}
