import FleetModel

/// Something a person does in an app, or reads there, until the app has answered.
struct Question {
    enum Kind {
        case perform(Edit)
        case read
    }
    var kind: Kind
    var app: AppName
    var command: Command
    /// The launch that was asked, once one was; and the exchange of the question.
    var asked: (launch: Int, exchange: UInt64)?
    /// What the app could not show yet when it was asked what it shows.
    var missing: String?
    /// The app has called its handler.
    var hasBegun = false
    /// Whoever waited has been told that no answer came; a late one still counts.
    var isGivenUp = false
}

/// The person's hand: edits and looks reach the foreground app when it is active.
final class Questions: PadService {
    let kernel: Kernel
    private var questions: [Int: Question] = [:]
    private var nextQuestion = 0

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// Source: Docs/pad-commands.md.
    private static let waitForActive = Span.seconds(30)
    /// ASSUMED: how long anybody waits for a handler that does not return.
    private static let waitForAnswer = Span.minutes(2)

    func perform(_ command: Command) {
        guard let edit = Edit(command.message.body) else { return refuse(command, "the edit is malformed") }
        guard pad.sessions.activePerson == edit.person else {
            noteRefused(edit, "\(edit.person) is not signed in on \(deviceName)")
            return refuse(command, "\(edit.person) is not signed in on \(deviceName)")
        }
        ask(.perform(edit), of: edit.app, command)
    }
    func read(_ command: Command) {
        guard let app = command.whole(PadCommand.Read.self)?.app else {
            return refuse(command, "'app' is missing: say what to read")
        }
        guard pad.sessions.activePerson != nil else {
            let why = pad.sessions.timedOut.map {
                ": the session of \($0) ended because nobody touched the iPad for too long"
            }
            return refuse(command, "nobody is signed in\(why ?? "")")
        }
        ask(.read, of: app, command)
    }
    private func ask(_ kind: Question.Kind, of app: AppName, _ command: Command) {
        nextQuestion += 1
        questions[nextQuestion] = Question(kind: kind, app: app, command: command)
        kernel.timers.set(.question(nextQuestion), at: now + kernel.spec.real(Self.waitForActive))
        kernel.needsSettling = true
    }

    /// Gives waiting questions to the app that is active now.
    func askQuestions() {
        guard !questions.isEmpty, pad.sessions.activePerson != nil, let foreground = pad.apps.screen.foreground,
            let run = pad.apps[foreground],
            run.phase == .active, run.goal == .foreground
        else { return }
        for number in questions.keys.sorted() {
            guard let question = questions[number], question.asked == nil, question.app == run.identity.app else {
                continue
            }
            let exchange = newExchange()
            questions[number]?.asked = (foreground, exchange)
            switch question.kind {
            case .perform(let edit):
                kernel.report(.handed(edit))
                pad.apps.send(HandMessages.Perform(edit).message, exchange: exchange, to: foreground)
            case .read:
                questions[number]?.missing = pad.daemons.missing(for: run.identity)
                pad.apps.send(HandMessages.LookAtState().message, exchange: exchange, to: foreground)
            }
            kernel.timers.set(.question(number), at: now + kernel.spec.real(Self.waitForAnswer))
        }
    }

    func questionAnswered(_ message: Message, _ exchange: UInt64, _ launch: Int) {
        let found = questions.first { $0.value.asked.map { $0.launch == launch && $0.exchange == exchange } ?? false }
        guard let (number, question) = found else { return }
        questions[number] = nil
        kernel.timers.cancel(.question(number))
        switch question.kind {
        case .perform(let edit): performed(edit, message, question)
        case .read:
            let state = HandMessages.LookAtState.Answer(lenient: message.body)
            var answer = PadCommand.Read.Answer()
            answer.complete = question.missing == nil && state.complete
            (answer.items, answer.reason) = (state.items, question.missing)
            if !question.isGivenUp { reply(answer, to: question.command) }
        }
    }

    /// The app says what the person sees as its handler is called.
    func questionBegan(_ message: Message, _ launch: Int) {
        let began = HandMessages.Began(lenient: message.body)
        for number in questions.keys.sorted() {
            guard let question = questions[number], question.asked?.launch == launch, !question.hasBegun,
                case .perform(let edit) = question.kind, began.token == edit.token
            else { continue }
            questions[number]?.hasBegun = true
            let detail = NoteDetail.Began {
                ($0.saw, $0.sawDigest, $0.launch) = (began.saw, began.sawDigest, launch)
                $0.account = pad.apps.accountDetail(launch)
            }
            note(Note(.began, person: edit.person, app: edit.app, tokens: [edit.token], detail: detail.body))
        }
    }

    private func performed(_ edit: Edit, _ answer: Message, _ question: Question) {
        var body = answer.body
        if let reason = HandMessages.Perform.Answer(lenient: answer.body).refused {
            noteRefused(edit, reason)
            mark(.editRefused)
        } else {
            body["ok"] = true
            let detail = NoteDetail.Life { $0.launch = question.asked?.launch }
            note(
                Note(
                    .performed, person: edit.person, app: edit.app,
                    channel: pad.catalogue.manifest(of: edit.app)?.channel,
                    tokens: [edit.token], detail: detail.body))
            mark(.editPerformed)
        }
        if !question.isGivenUp { reply(body, to: question.command) }
    }
    private func noteRefused(_ edit: Edit, _ reason: String) {
        note(
            Note(
                .refused, person: edit.person, app: edit.app, tokens: [edit.token],
                detail: NoteDetail.Life { $0.reason = reason }.body)
        )
    }

    // MARK: No answer

    func questionOverdue(_ number: Int) {
        guard let question = questions[number] else { return }
        guard question.asked != nil else { return refuseQuestion(number, "\(question.app) was not active within 30 s") }
        questions[number]?.isGivenUp = true
        reply(CommandAnswer.unanswered("\(question.app) has not answered"), to: question.command)
    }
    var isEmpty: Bool { questions.isEmpty }
    var whatMoves: String? { questions.isEmpty ? nil : "\(questions.count) questions wait" }

    func ends(_ ending: Ending) {
        switch ending {
        case .session(_, let reason), .life(let reason): refuseWaitingQuestions(reason)
        case .loginScreen, .launch, .account: break
        }
    }
    /// Questions that no app has seen yet: a visible refusal by the device.
    private func refuseWaitingQuestions(_ reason: String) {
        for number in questions.keys.sorted() where questions[number]?.asked == nil { refuseQuestion(number, reason) }
    }
    private func refuseQuestion(_ number: Int, _ reason: String) {
        guard let question = questions.removeValue(forKey: number) else { return }
        kernel.timers.cancel(.question(number))
        if case .perform(let edit) = question.kind { noteRefused(edit, reason) }
        refuse(question.command, reason)
    }
    /// The app that was asked is gone: neither performed nor refused.
    func questionsLost(_ launch: Int, _ reason: String) {
        for number in questions.keys.sorted() where questions[number]?.asked?.launch == launch {
            guard let question = questions.removeValue(forKey: number) else { continue }
            kernel.timers.cancel(.question(number))
            if !question.isGivenUp { reply(["unanswered": .string(reason)], to: question.command) }
        }
    }
}

extension Questions {
    func checkInvariants() throws(BrokenInvariant) {
        guard !kernel.isDown else { return }
        for (number, question) in questions {
            if let launch = question.asked?.launch {
                try invariant(
                    pad.apps[launch] != nil, "question \(number) waits for launch \(launch), which is not alive")
            }
            try invariant(
                question.isGivenUp || kernel.timers.next(.question(number)) != nil,
                "question \(number) to \(question.app) waits without an end")
        }
    }
}
