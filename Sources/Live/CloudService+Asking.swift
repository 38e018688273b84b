import CInterpose
import FleetModel
import Glibc
import Run

/// What a run asks of its Cloud as the administrator, and what the answers say when it is none.
extension CloudService {
    /// Sends an administrator's command.
    /// - Returns: its answer, `{refused: reason}` for one that cannot be.
    /// - Throws: `RunEnd.input` when nobody answers or somebody who knows no such commands; `RunEnd.harness` when nobody answers any more.
    func command(_ message: Message, tries: Int = 1) throws -> Value {
        try awaitReady()
        guard let address, let client else { throw RunEnd.harness("the Cloud was asked before it was started") }
        var request = HTTPRequest(
            post: "/admin/v1/command", json: ["name": .string(message.name), "body": message.body])
        request.headers["X-Homeroom-Admin"] = address.token
        switch client.fetch(request) {
        case .response(let response) where response.isSuccess:
            if let answer = response.json {
                hasAnswered = true
                return answer
            }
            throw foreign("it answers what is no JSON")
        case .response(let response) where response.status == 401:
            throw RunEnd.input("\(address.origin) refuses the administrator's token: give the one of its data folder")
        case .response(let response): throw foreign("it answers \(response.status)")
        default:
            guard tries <= 1 else {
                sleep(1)
                return try command(message, tries: tries - 1)
            }
            throw unanswered(at: address.origin, client.trouble)
        }
    }
    private func unanswered(at origin: String, _ trouble: (words: String, isUntrusted: Bool)?) -> any Error {
        guard trouble?.isUntrusted != true else {
            return RunEnd.input(
                "\(origin) shows a certificate that nobody here trusts: give --cloud-file, server.json of its data folder, which names it"
            )
        }
        let words = trouble.map { " (\($0.words))" } ?? ""
        if isOurs { return RunEnd.harness("the Cloud's server answers no more\(words)") }
        guard !hasAnswered else {
            return RunEnd.harness(
                "the Cloud at \(origin) answers no more\(words): it was ended, or its machine or the network is gone; start it on an empty "
                    + "data folder, then run again")
        }
        return RunEnd.input("nobody answers at \(origin)\(words): start homeroom-cloud there or correct --cloud")
    }
    private func foreign(_ what: String) -> RunEnd {
        RunEnd.input("\(origin) is no homeroom-cloud: \(what); correct --cloud")
    }

    /// Times that a question is asked which may be asked again, when nobody answers, a second apart: a broken connection must not end a run of hours.
    private static let tries = 10

    /// `cloud.board` (Docs/shards.md). An entry is left once, however often it is sent.
    func board(_ body: Value) throws -> Value {
        let answer = try command(CloudCommand.board.message(body), tries: Self.tries)
        guard let reason = answer["refused"]?.string else { return answer }
        throw RunEnd.input("\(origin): \(reason)")
    }

    /// Asks for the server's health the way that iPads go, when that is one of its own.
    /// - Parameter tries: how often, a second apart: a proxy may begin a little later than the parts, and may bend one answer by a fault.
    /// - Throws: `RunEnd.input` when nobody answers there, or somebody else: what iPads still hold then, or never got, is nobody's bug.
    func checkWay(tries: Int = 3) throws {
        guard let way = address?.way else { return }
        let client = try HTTPClient(
            base: way, patience: .whole(milliseconds: Self.wayTimeoutMilliseconds), certificate: address?.certificate)
        var found = "nobody answers at \(way)"
        for attempt in 1...tries {
            if attempt > 1 { sleep(1) }
            guard case .response(let answer) = client.fetch(HTTPRequest("GET", "/health")) else { continue }
            if answer.status == 200, answer.json?["status"]?.string == "ok" { return }
            found = "what answers at \(way) is no homeroom-cloud (status \(answer.status))"
        }
        throw RunEnd.input(
            "\(found), and that is the way from the iPads to \(origin): start the proxy there, without a fault at this time, or correct "
                + "--cloud, and run again")
    }
    private static let wayTimeoutMilliseconds = 5_000
    /// Before the run.
    static let firstWayTries = 10

    /// The server's calendar clock less this machine's monotonic one, and how far that may be wrong; ns.
    func clockOffset() throws -> (offset: Int64, error: Int64) {
        let cloud = try (0..<Self.clockLooks).map { _ in
            let before = hr_real_ns()
            let answer = try board(["after": .int(Int64.max)])
            let after = hr_real_ns()
            guard let now = answer["now"]?.int else { throw foreign("it does not tell its time") }
            return ClockLook(before: before, shown: Instant.epochNanoseconds &+ now, after: after)
        }
        // A server that was given may be anywhere, also behind a port of this machine.
        let own = (0..<(isOurs ? Self.clockLooks : 0)).map { _ in
            ClockLook(before: hr_real_ns(), shown: hr_wall_ns(), after: hr_real_ns())
        }
        return ClockLook.offset(cloud: cloud, own: own) ?? (0, 0)
    }
    private static let clockLooks = 8

    /// Looks into the history whether everything could be written.
    /// - Throws: `RunEnd.input` when the Cloud could not write: then it answered 503, for ever maybe, and what waits for it is nobody's bug.
    func checkDisk() throws { _ = try page(after: .max) }

    private func page(after last: Int64) throws -> Value {
        // A Cloud of our own is there or has ended: nothing of a network lies between.
        let tries = hasAnswered && !isOurs ? Self.tries : 1
        let answer = try command(CloudCommand.history.message(["after": .int(last)]), tries: tries)
        if let reason = answer["refused"]?.string { throw RunEnd.input("\(origin): \(reason)") }
        guard let failure = answer["failure"]?.string else { return answer }
        throw RunEnd.input(
            "the Cloud at \(origin) could not write what it was asked to keep (\(failure)): nothing is known of an app that it turned away; "
                + "make room where its data lies, and run again")
    }

    /// What the Cloud noted for the history since it was asked last, by its own clock.
    func history() throws -> [HistoryEvent] {
        var events: [HistoryEvent] = []
        while true {
            let answer = try page(after: historyRead)
            let lines = answer["events"]?.array ?? []
            for line in lines {
                guard let event = HistoryEvent(line) else {
                    throw RunEnd.input("\(origin) tells an unreadable history: use a homeroom-cloud of this version")
                }
                events.append(event)
            }
            guard let last = answer["last"]?.int, last > historyRead, !lines.isEmpty else { return events }
            historyRead = last
        }
    }
}
