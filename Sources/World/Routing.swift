import FleetModel
import Nemesis
import Run

extension World {
    /// Sends one output of a step on its way.
    func route(_ output: Output, from id: ParticipantID) throws {
        switch (output.payload, id) {
        case (.post, .app(let pad, _)):
            // An app has one link, to its own Pad; whatever else it claims to send does not exist.
            if output.to == .pad(pad) { hop(output, from: id) }
        case (_, .app): break
        case (.post, _), (.command, _), (.answer, _): hop(output, from: id)
        case (.request(let request), .pad(let pad)): try send(request, output, from: pad)
        case (.response(let response), .cloud): try send(response, output)
        case (.push(let message), .cloud): try send(push: message, output)
        case (.host(.launch(let launch, let app, let spec)), .pad(let pad)):
            var spec = spec
            spec["app"] = .string(app)
            spec["seed"] = .int(Int64(bitPattern: plan.seed))
            try start(.app(pad: pad, launch: launch), spec: spec)
        case (.host(.kill(let launch)), .pad(let pad)): end(.app(pad: pad, launch: launch))
        case (.note(let note), _): try self.note(note, from: id)
        default: throw RunEnd.harness("\(id) sent a \(output.payload.kindName) to \(output.to), which no link carries")
        }
    }

    package func note(_ note: Note, from id: ParticipantID) throws {
        for event in book.events(for: HistoryEvent(at: now, from: id, note)) {
            try recorder.note(event)
            suspend(event.note, on: id)
            if let reason = saves.take(event) { throw RunEnd.inconclusive(reason) }
        }
    }
    /// No code of a suspended app runs (app-lifecycle.md 1): its timers wait until the Pad resumes it.
    private func suspend(_ note: Note, on id: ParticipantID) {
        guard note.kind == .appSuspended || note.kind == .appResumed, case .pad(let pad) = id,
            let launch = note.detail["launch"]?.int.flatMap({ Int(exactly: $0) })
        else { return }
        let app = ParticipantID.app(pad: pad, launch: launch)
        guard var life = lives[app] else { return }
        life.isSuspended = note.kind == .appSuspended
        if !life.isSuspended, life.isTimerDue {
            life.isTimerDue = false
            queue.add(.timer(app, generation: life.generation), at: now)
        }
        lives[app] = life
    }
    func mark(_ mark: Mark, from id: ParticipantID) throws {
        try note(.mark(mark), from: id)
    }

    /// A local link: instant and reliable.
    private func hop(_ output: Output, from id: ParticipantID) {
        hops.append(
            Delivery(
                from: id, to: output.to, payload: output.payload, exchange: output.exchange, cause: output.cause,
                life: lives[output.to]?.number ?? 0))
    }

    // MARK: Network links

    /// A request that finds no Cloud: the connection is refused, certainly nothing happened.
    func refuse(_ delivery: Delivery) {
        guard let life = delivery.askerLife ?? lives[delivery.from]?.number else { return }
        let failure = Delivery(
            from: .cloud, to: delivery.from, payload: .failure(.unreachable), exchange: delivery.exchange,
            cause: delivery.cause,
            life: life)
        queue.add(.arrival(failure), at: now + plan.network.least)
    }

    /// Nothing of an iPad outside the core reaches the Cloud in calm: what only it holds is stranded.
    private func send(_ request: HTTPRequest, _ output: Output, from pad: Int) throws {
        guard !isCalm || plan.core.contains(pad) || pad > plan.pads else { return }
        let life = lives[.pad(pad)]?.number ?? 0
        requests.send(request, output, from: pad, life: life)
        let message = networkMessage(.request, pad, request.target, output.cause, request.body.count)
        let outcome = try decide(message)
        let arrival = Delivery(
            from: .pad(pad), to: .cloud, payload: output.payload, exchange: output.exchange, cause: output.cause,
            life: nil, askerLife: life)
        let back = { (payload: Payload) in
            Delivery(
                from: .cloud, to: .pad(pad), payload: payload, exchange: output.exchange, cause: output.cause,
                life: life)
        }
        if let reached = outcome.mark(of: .request) { try mark(reached, from: .pad(pad)) }
        for coming in outcome.arrivals(of: .request, at: now) {
            let delivery =
                switch coming.content {
                case .message: arrival
                case .failure(let failure): back(.failure(failure))
                case .response(let response): back(.response(response))
                }
            queue.add(.arrival(delivery), at: coming.at)
        }
    }

    private func send(_ response: HTTPResponse, _ output: Output) throws {
        guard case .pad(let pad) = output.to, let life = lives[output.to]?.number else { return }
        guard let request = requests.asked(by: pad, life: life, exchange: output.exchange) else { return }
        let outcome = try decide(networkMessage(.response, pad, request.route, request.cause, response.body.count))
        if response.headers["Retry-After"] != nil { try mark(.retryAfter, from: .cloud) }
        let delivery = { (payload: Payload) in
            Delivery(
                from: .cloud, to: output.to, payload: payload, exchange: output.exchange, cause: request.cause,
                life: life)
        }
        if let reached = outcome.mark(of: .response) { try mark(reached, from: .cloud) }
        for coming in outcome.arrivals(of: .response, at: now) {
            let payload: Payload =
                if case .failure(let failure) = coming.content { .failure(failure) } else { output.payload }
            queue.add(.arrival(delivery(payload)), at: coming.at)
        }
    }

    private func send(push message: Message, _ output: Output) throws {
        guard case .pad(let pad) = output.to, let life = lives[output.to]?.number else { return }
        let outcome = try decide(networkMessage(.push, pad, message["service"]?.string ?? "", output.cause, 0))
        if outcome.ending == .arrives, outcome.duplicate != nil { try mark(.pushDuplicated, from: .cloud) }
        if outcome.isLate { try mark(.pushLate, from: .cloud) }
        if let reached = outcome.mark(of: .push) {
            // Whoever asks why an iPad lags behind has to know which one did not get it.
            try note(.mark(reached, pad: pad), from: .cloud)
        }
        let delivery = Delivery(
            from: .cloud, to: output.to, payload: output.payload, exchange: 0, cause: output.cause, life: life)
        for coming in outcome.arrivals(of: .push, at: now) { queue.add(.arrival(delivery), at: coming.at) }
    }

    private func networkMessage(
        _ direction: NetworkMessage.Direction, _ pad: Int, _ route: String, _ cause: String, _ bytes: Int
    ) -> NetworkMessage {
        NetworkMessage(
            direction: direction, pad: pad, route: route, cause: cause,
            attempt: attempts.next(direction, pad: pad, cause: cause), at: now, bytes: bytes)
    }

    /// Reads the schedule tape or draws; writes the choice to the schedule tape.
    private func decide(_ message: NetworkMessage) throws -> DeliveryOutcome {
        let key = "\(message.direction.rawValue) ipad-\(message.pad) \(message.cause) \(message.attempt)"
        var outcome: DeliveryOutcome
        if let outcomes = plan.outcomes {
            // An exhausted tape means: no fault, default order. A run that may be changed on its way draws all the same, so that the faults have
            // counted what passed them.
            let drawn = plan.drawsBesideTape ? nemesis.outcome(of: message, seed: plan.seed) : nil
            outcome =
                outcomes[key].flatMap(DeliveryOutcome.init) ?? drawn ?? DeliveryOutcome(latency: plan.network.least)
        } else {
            outcome = nemesis.outcome(of: message, seed: plan.seed)
        }
        if case .truncated(let bytes) = outcome.ending, message.bytes <= bytes { outcome.ending = .arrives }
        try recorder.pass(key, outcome.body)
        return outcome
    }
}
