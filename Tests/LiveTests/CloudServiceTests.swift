import CInterpose
import FleetModel
import Foundation
import RawServer
import StubProgram
import Synchronization
import Testing

@testable import Live
@testable import Run

/// Programs that are started as the Cloud's server and never serve anything.
@Suite("Cloud's server, its beginning", .timeLimit(.minutes(20))) struct CloudServiceTests {
    /// - Parameter script: finds the number of the descriptor in `$fd`.
    private func start(_ script: String, _ check: (CloudService, String) throws -> Void) throws {
        try start({ try $0.stub("for word; do fd=$word; done\n" + script) }, check)
    }
    private func start(
        _ make: (URL) throws -> String, _ check: (CloudService, String) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cloud-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = try make(folder.appending(path: "program"))
        let log = folder.appending(path: "log").path
        let settings: Value = ["assetMegabytes": "15", "stampUserKey": "user"]
        let service = CloudService(.program(program, data: folder.path, log: log, settings: settings))
        defer { service.crash() }
        try service.start()
        try check(service, folder.path)
    }

    @Test("What the scenario sets of the Cloud is given to the program")
    func settings() throws {
        try start("echo \"$@\" >&2; exit 7") { service, _ in
            let problem = #expect(throws: RunEnd.self) { try service.awaitReady() }
            let message = problem?.message ?? ""
            #expect(message.contains("--set assetMegabytes=15 --set stampUserKey=user --announce-to"), "\(message)")
        }
    }

    @Test("The announcement comes in pieces, long after each other: it is heard when it is whole")
    func pieces() throws {
        let script = """
            exec 3>/proc/self/fd/$fd
            printf '{"origin": "http://127' >&3; sleep 0.1
            printf '.0.0.1:9"' >&3; sleep 0.1
            printf ', "token": "t"}' >&3
            exec sleep 60
            """
        try start(script) { service, _ in
            try service.awaitReady()
            #expect(service.origin == "http://127.0.0.1:9" && service.process != nil)
            try service.check()
        }
    }

    @Test(
        "A program that ends and has announced nothing of use: told at once, with its end and its last word",
        arguments: [
            ("echo no room >&2; exit 7", "it exited with status 7: no room"),
            ("echo nonsense >/proc/self/fd/$fd", "it exited with status 0: it printed nothing"),
        ])
    func noServer(script: String, words: String) throws {
        try start(script) { service, _ in
            let problem = #expect(throws: RunEnd.self) { try service.awaitReady() }
            let message = problem?.message ?? ""
            #expect(message.contains("the Cloud's server does not start: \(words)"), "\(message)")
            #expect(service.process == nil)
        }
    }

    @Test("A program that cannot be executed: told at once, with the reason")
    func noProgram() throws {
        let plainFile = { (place: URL) in
            try "#!/bin/sh\n".write(to: place, atomically: true, encoding: .utf8)
            return place.path
        }
        try start(plainFile) { service, folder in
            let problem = #expect(throws: RunEnd.self) { try service.awaitReady() }
            let words = "status 127: \(folder)/program cannot be executed: Permission denied"
            #expect(problem?.kind == .input && problem?.message.hasSuffix(words) == true, "\(problem?.message ?? "")")
        }
    }

    @Test(
        "A server that ends while nobody asks it anything: one that never served is the caller's to mend, one that did is not"
    )
    func endsUnasked() throws {
        func problem(_ script: String) throws -> (any Error)? {
            var found: (any Error)?
            try start(script) { service, folder in
                // Looked at now and then, as a run does; asked nothing.
                while found == nil { do { try service.check() } catch { found = error } }
                #expect(service.process == nil)
            }
            return found
        }
        let taken = try problem("echo the port is taken >&2; exit 1") as? RunEnd
        #expect(
            taken?.kind == .input
                && taken?.message.contains("does not start: it exited with status 1: the port is taken") == true)
        let served = try problem("printf '{\"origin\": \"o\", \"token\": \"t\"}' >/proc/self/fd/$fd; exit 1")
        #expect((served as? RunEnd)?.kind == .harness)
        #expect((served as? RunEnd)?.message.contains("ended by itself: it exited with status 1") == true)
    }

    @Test("The way of the iPads: nobody there is nobody's bug; a Cloud without a way of its own is not asked")
    func way() throws {
        let port = hr_free_port()
        let origin = "http://127.0.0.1:\(port)"
        let direct = CloudService(.given(CloudAddress(origin: origin, token: "t")))
        try direct.start()
        try direct.checkWay()
        let service = CloudService(.given(CloudAddress(origin: origin, token: "t", way: origin)))
        try service.start()
        let problem = #expect(throws: RunEnd.self) { try service.checkWay() }
        #expect(
            problem?.kind == .input && problem?.message.contains("nobody answers at \(origin)") == true,
            "\(String(describing: problem))")
    }

    @Test(
        "Where the school's network leads to: a host and a port (parameters: URLs)",
        arguments: [
            ("http://cloud", "cloud:80"), ("http://cloud:8080", "cloud:8080"), ("http://[::1]", "[::1]:80"),
            ("http://[::1]:8080", "[::1]:8080"), ("https://cloud", nil),
        ])
    func target(origin: String, leads: String?) throws {
        let service = CloudService(.given(CloudAddress(origin: origin, token: "t")))
        try service.start()
        #expect(service.plainTarget == leads)
    }

    @Test(
        "Who else answers on the way of the iPads is told from the Cloud (parameters: answers, what is said)",
        arguments: [
            ("404 Not Found", "<h1>nginx</h1>", "is no homeroom-cloud (status 404)"),
            ("200 OK", "<title>Sign in to the network</title>", "is no homeroom-cloud (status 200)"),
            ("200 OK", #"{"status":"up"}"#, "is no homeroom-cloud (status 200)"), ("200 OK", #"{"status":"ok"}"#, nil),
        ])
    func stranger(status: String, body: String, says: String?) throws {
        let server = RawServer { _ in "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)" }
        let way = "http://127.0.0.1:\(server.port)"
        let service = CloudService(.given(CloudAddress(origin: "http://127.0.0.1:1", token: "t", way: way)))
        try service.start()
        var problem: RunEnd?
        do { try service.checkWay() } catch { problem = error as? RunEnd }
        #expect(
            says.map { problem?.message.contains($0) == true } ?? (problem == nil), "\(String(describing: problem))")
    }

    @Test("A connection to a Cloud that was there breaks: it is asked for its history again, and from where it stood")
    func broken() throws {
        let asked = Mutex<[String]>([])
        let server = RawServer { request in
            let number = asked.withLock {
                $0.append(request)
                return $0.count
            }
            let body = #"{"events":[],"last":7}"#
            return number == 2 ? "" : "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        let service = CloudService(.given(CloudAddress(origin: "http://127.0.0.1:\(server.port)", token: "t")))
        try service.start()
        service.historyRead = 5
        for _ in 1...2 { #expect(try service.history() == []) }
        let seen = asked.withLock { $0 }
        #expect(seen.count == 3 && seen.allSatisfy { $0.contains(#""after":5"#) }, "\(seen)")
    }

    @Test("A crash while it begins: the next life is listened to, not the one before")
    func again() throws {
        let script = """
            cd "$(dirname "$0")"
            if [ ! -e once ]; then touch once; exec sleep 60; fi
            printf '{"origin": "o", "token": "t"}' >/proc/self/fd/$fd
            exec sleep 60
            """
        try start(script) { service, folder in
            while access(folder + "/once", F_OK) != 0 { usleep(1000) }
            service.crash()
            try service.start()
            try service.awaitReady()
            #expect(service.origin == "o")
        }
    }
}
