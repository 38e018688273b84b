import Foundation
import PadDouble
import Testing
import Ubiquity

/// Writes down what a session tells it.
@MainActor private final class Ear: URLSessionDataDelegate {
    var heard: [String] = []
    var body = Data()
    var lastError: NSError?
    func urlSession(_ session: URLSession, dataTask: URLSessionTask, didReceive data: Data) { body.append(data) }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        lastError = error as NSError?
        heard.append(
            "\(task.taskDescription ?? "") \((error as? URLError)?.code.rawValue ?? status) \(String(decoding: body, as: UTF8.self))"
        )
    }
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { heard.append("finished") }
}

/// Takes downloaded files.
@MainActor private final class Catcher: URLSessionDownloadDelegate {
    var heard: [String] = []
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let data = FileManager.default.contents(atPath: location.path) ?? Data()
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
        heard.append("\(status) \(String(decoding: data, as: UTF8.self))")
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        heard.append(error == nil ? "end" : "failed")
    }
}

extension UbiquityTests {
    @Suite("Transfers", .timeLimit(.minutes(20))) struct Transfers {
        nonisolated(unsafe) private static var ear: Ear?
        nonisolated(unsafe) private static var session: URLSession?
        nonisolated(unsafe) private static var catcher: Catcher?

        @MainActor private static func open() -> URLSession {
            let ear = Ear()
            let session = URLSession(configuration: .background(withIdentifier: "s"), delegate: ear, delegateQueue: nil)
            (Self.ear, Self.session) = (ear, session)
            return session
        }
        @MainActor private static func start(_ description: String, after pause: TimeInterval = 0) throws
            -> URLSessionTask
        {
            let file = FileManager.default.temporaryDirectory.appending(path: "body")
            try "essay".write(to: file, atomically: true, encoding: .utf8)
            guard let url = URL(string: "https://backend.test/essays/1") else { throw URLError(.badURL) }
            var request = URLRequest(url: url)
            request.httpMethod = "PUT"
            request.setValue("secret", forHTTPHeaderField: "X-Credential")
            request.setValue("better", forHTTPHeaderField: "x-credential")
            let task = open().uploadTask(with: request, fromFile: file)
            task.taskDescription = description
            if pause > 0 { task.earliestBeginDate = Date(timeIntervalSinceNow: pause) }
            task.resume()
            task.resume()
            return task
        }

        @Test("Background upload: handed over once by resume(), its end reported, then the Pad may forget it")
        func upload() throws {
            let pad = PadDouble()
            #expect(pad.run { ["\(try Self.start("essay 1").taskIdentifier)"] } == ["1"])
            let task = try #require(pad.transfers.first)
            #expect(pad.transfers.count == 1)
            #expect(
                task.method == "PUT" && task.url == "https://backend.test/essays/1" && task.body == Array("essay".utf8))
            #expect(task.headers == ["x-credential": "better"])
            pad.finishTransfer(status: 201, json: ["path": "essays/1"])
            #expect(pad.run { Self.ear?.heard ?? [] } == [#"essay 1 201 {"path":"essays/1"}"#, "finished"])
            #expect(pad.transfers.isEmpty, "the outcome was not acknowledged")
        }

        @Test(
            "Background download: handed over by resume(), the file is given to the delegate, then the Pad may forget it (S137)"
        )
        func download() throws {
            let pad = PadDouble()
            let told = pad.run {
                guard let url = URL(string: "https://backend.test/lessons/1") else { throw URLError(.badURL) }
                let configuration = URLSessionConfiguration.background(withIdentifier: "s")
                configuration.timeoutIntervalForResource = 3600
                let catcher = Catcher()
                let session = URLSession(configuration: configuration, delegate: catcher, delegateQueue: nil)
                (Self.catcher, Self.session) = (catcher, session)
                let task = session.downloadTask(with: url)
                task.taskDescription = "lesson"
                task.resume()
                return ["\(task.taskIdentifier)"]
            }
            #expect(told == ["1"])
            let call = try #require(pad.calls("transfer.download").first)
            #expect(call["url"] == "https://backend.test/lessons/1" && call["method"] == "GET")
            #expect(call["timeout"] == .int(Int64(3_600_000_000_000)))
            let location = pad.home + "/Library/Caches/x.tmp"
            pad.files[location] = Array("lesson one".utf8)
            pad.deliver(
                "transfer.completed",
                ["session": "s", "task": 1, "description": "lesson", "status": 200, "location": .string(location)],
                exchange: 1)
            #expect(pad.run { Self.catcher?.heard ?? [] } == ["200 lesson one", "end"])
            #expect(pad.posts("transfer.completed").count == 1, "the outcome was not acknowledged")
        }

        @Test("Background upload: a later begin is told to the Pad")
        func delay() {
            let pad = PadDouble()
            _ = pad.run { [try Self.start("later", after: 8).taskDescription ?? ""] }
            #expect(pad.calls("transfer.upload").first?["delay"] == .int(Int64(8_000_000_000)))
        }

        @Test("Relaunch: a new session meets the earlier task and hears of its failure")
        func relaunch() {
            let pad = PadDouble()
            _ = pad.run { [try Self.start("essay 1").taskDescription ?? ""] }
            pad.kill()
            let found = pad.run {
                let session = Self.open()
                return await session.allTasks.map { "\($0.taskIdentifier) \($0.taskDescription ?? "")" }
            }
            #expect(found == ["1 essay 1"])
            pad.failTransfer(code: -999)
            #expect(pad.run { Self.ear?.heard ?? [] } == ["essay 1 -999 ", "finished"])
        }

        nonisolated(unsafe) private static var twins: [(ear: Ear, session: URLSession)] = []
        /// Makes two sessions of one identifier.
        @MainActor private static func openTwins() {
            twins = (0..<2).map { _ in
                let ear = Ear()
                let session = URLSession(
                    configuration: .background(withIdentifier: "s"), delegate: ear, delegateQueue: nil)
                return (ear, session)
            }
        }
        /// The tasks that both sessions know, in one text each.
        @MainActor private static func known() async -> [String] {
            var texts: [String] = []
            for twin in twins {
                texts.append(
                    await twin.session.allTasks.map { "\($0.taskIdentifier) \($0.taskDescription ?? "")" }.joined(
                        separator: ","))
            }
            return texts
        }
        /// What the delegates of both heard of, without bodies.
        @MainActor private static func heard() -> [String] {
            twins.map { $0.ear.heard.map { String($0.prefix { $0 != " " }) }.joined(separator: ",") }
        }

        @Test(
            "Two sessions of one identifier: the same tasks, and one delegate, the first's; the other's when that is gone"
        )
        func twoSessions() {
            let pad = PadDouble()
            let found = pad.run {
                Self.openTwins()
                let file = FileManager.default.temporaryDirectory.appending(path: "body")
                try "essay".write(to: file, atomically: true, encoding: .utf8)
                for (twin, name) in zip(Self.twins + Self.twins, ["one", "two", "three", "four"]) {
                    guard let url = URL(string: "https://backend.test/\(name)") else { throw URLError(.badURL) }
                    let task = twin.session.uploadTask(with: URLRequest(url: url), fromFile: file)
                    task.taskDescription = name
                    task.resume()
                }
                return await Self.known()
            }
            #expect(found == ["1 one,2 two,3 three,4 four", "1 one,2 two,3 three,4 four"])
            pad.finishTransfer(status: 201)
            pad.finishTransfer(status: 201)
            #expect(pad.run { Self.heard() } == ["one,two", ""])
            #expect(pad.transfers.count == 2 && pad.posts("transfer.completed").count == 2, "answered once each")
            pad.kill()
            let again = pad.run {
                Self.openTwins()
                return await Self.known()
            }
            #expect(again == ["3 three,4 four", "3 three,4 four"])
            pad.finishTransfer(status: 201)
            let rest = pad.run {
                let heard = Self.heard()
                Self.twins.removeFirst()
                return heard
            }
            #expect(rest == ["three", ""])
            pad.finishTransfer(status: 201)
            #expect(pad.run { Self.heard() } == ["four,finished"] && pad.transfers.isEmpty)
        }

        @Test("Background upload: an answer that could not be kept is POSIX 1, and the response says its status")
        func sealedAnswer() {
            let pad = PadDouble()
            _ = pad.run { [try Self.start("essay 1").taskDescription ?? ""] }
            var outcome = linkError("POSIX", 1)
            outcome["error"]?["status"] = 201
            for pair: (String, Value) in [("session", "s"), ("task", 1), ("description", "essay 1")] {
                outcome[pair.0] = pair.1
            }
            pad.deliver("transfer.completed", outcome, exchange: 1)
            let found = pad.run {
                let error = Self.ear?.lastError
                return (Self.ear?.heard ?? []) + ["\(error?.domain ?? "") \(error?.code ?? 0)"]
            }
            #expect(found == ["essay 1 201 ", "finished", "\(NSPOSIXErrorDomain) 1"])
        }

        @Test("Background upload: not taken by the system, the task has failed at once and the delegate hears")
        func refused() {
            let pad = PadDouble()
            pad.refusals["transfer.upload"] = linkError("NSCocoaErrorDomain", 640)
            #expect(
                pad.run {
                    [(try Self.start("essay 1").error as? CocoaError)?.code == .fileWriteOutOfSpace ? "no space" : ""]
                } == ["no space"])
            #expect(pad.run { Self.ear?.heard ?? [] } == ["essay 1 0 "])
        }

        @Test("Foreground request: status, headers and body, or URLError")
        func foreground() {
            let pad = PadDouble()
            pad.http = {
                $0["url"]?.string == "https://backend.test/a" && $0["method"]?.string == "POST"
                    && $0["data"]?.data == [9]
                    ? ["status": 503, "headers": ["Retry-After": "3"], "data": .data([1])]
                    : linkError("NSURLErrorDomain", -1009)
            }
            let ask: (String) -> [String] = { address in
                pad.run {
                    guard let url = URL(string: address) else { return ["bad address"] }
                    var request = URLRequest(url: url)
                    request.httpMethod = "POST"
                    request.httpBody = Data([9])
                    let (data, response) = try await URLSession.shared.data(for: request)
                    let http = response as? HTTPURLResponse
                    return [
                        "\(http?.statusCode ?? 0) \(http?.value(forHTTPHeaderField: "retry-after") ?? "") \(Array(data))"
                    ]
                }
            }
            #expect(ask("https://backend.test/a") == ["503 3 [1]"])
            #expect(ask("https://backend.test/b") == ["NSURLErrorDomain -1009"])
        }
    }

    @Suite("Keychain", .timeLimit(.minutes(20))) struct Keychain {
        @Test("Item: added once, read, updated, deleted, with Apple's statuses")
        func item() {
            let pad = PadDouble()
            let found = pad.run {
                let query: [String: Any] = [
                    kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s",
                    kSecAttrAccount as String: "a",
                ]
                let add = query.merging([kSecValueData as String: Data([1])]) { _, new in new }
                let read: () -> String = {
                    var item: CFTypeRef?
                    let status = SecItemCopyMatching(
                        query.merging([kSecReturnData: true]) { _, new in new } as CFDictionary, &item)
                    return "\(status) \((item as? Data).map(Array.init) ?? [])"
                }
                return [
                    read(),
                    "\(SecItemUpdate(query as CFDictionary, [kSecValueData as String: Data([2])] as CFDictionary))",
                    "\(SecItemAdd(add as CFDictionary, nil)) \(SecItemAdd(add as CFDictionary, nil))", read(),
                    "\(SecItemUpdate(query as CFDictionary, [kSecValueData as String: Data([2])] as CFDictionary))",
                    read(),
                    "\(SecItemDelete(query as CFDictionary)) \(SecItemDelete(query as CFDictionary))",
                    "\(SecItemAdd([:], nil))",
                ]
            }
            #expect(found == ["-25300 []", "-25300", "0 -25299", "0 [1]", "0", "0 [2]", "0 -25300", "-50"])
        }
    }

    @Suite("Keychain queries", .timeLimit(.minutes(20))) struct KeychainQueries {
        private static func query(_ more: [String: Any] = [:]) -> CFDictionary {
            let query: CFDictionary = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
            return query.merging(more) { _, new in new }
        }

        @Test("Query by service alone: the first item or all, data or attributes; changed and removed together")
        func several() {
            let pad = PadDouble()
            let found = pad.run {
                func all(_ more: [String: Any]) -> (OSStatus, CFTypeRef?) {
                    var items: CFTypeRef?
                    return (SecItemCopyMatching(Self.query(more), &items), items)
                }
                let none = all([kSecReturnData: true])
                for account in ["b", "a"] {
                    SecItemAdd(Self.query([kSecAttrAccount: account, kSecValueData: Data(account.utf8)]), nil)
                }
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecValueData: Data([9])], nil)
                let first = all([kSecReturnData: true])
                let every = all([
                    kSecReturnData: true, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll,
                ])
                let names = (every.1 as? [[String: Any]] ?? []).map { $0[kSecAttrAccount] as? String ?? "?" }
                let one = all([kSecAttrAccount: "b", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll])
                let updated = SecItemUpdate(Self.query(), [kSecValueData: Data([3])])
                let datas = all([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]).1 as? [Data]
                return [
                    "\(none.0) \(first.0) \(String(decoding: first.1 as? Data ?? Data(), as: UTF8.self)) \(names)",
                    "\((one.1 as? [Data])?.count ?? 0) \(updated) \((datas ?? []).map(Array.init))",
                    "\(SecItemDelete(Self.query())) \(SecItemDelete(Self.query()))",
                    "\(SecItemDelete(Self.query([kSecAttrAccount: 7])))",
                ]
            }
            #expect(found == ["-25300 0 a [\"a\", \"b\"]", "1 0 [[3], [3]]", "0 -25300", "-50"])
            #expect(pad.keychain == ["/": [9]], "another service's item stays")
        }

        @Test("Update: attributes that are not named are left to the Pad")
        func attributes() {
            let pad = PadDouble()
            _ = pad.run {
                let item = Self.query([kSecAttrAccount: "a"])
                SecItemAdd(
                    item.merging([
                        kSecValueData: Data([1]), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
                    ]) { _, new in new }, nil)
                SecItemUpdate(item, [kSecValueData: Data([2])])
                return []
            }
            #expect(pad.calls("keychain.add").first?["accessible"] == "AfterFirstUnlock")
            #expect(pad.calls("keychain.update").first?["accessible"] == nil)
        }

        @Test("Query: synchronizable and access group go to the Pad; a flag that is none is refused")
        func scope() {
            let pad = PadDouble()
            let found = pad.run {
                let item = [kSecAttrAccount: "a"] as CFDictionary
                func status(_ more: CFDictionary) -> OSStatus {
                    SecItemCopyMatching(Self.query(item.merging(more) { $1 }), nil)
                }
                let any: CFDictionary = [kSecAttrSynchronizable: kSecAttrSynchronizableAny]
                return [
                    "\(SecItemAdd(Self.query([kSecAttrAccount: "a", kSecValueData: Data([1]), kSecAttrSynchronizable: true]), nil))",
                    "\(SecItemAdd(Self.query(any.merging([kSecValueData: Data([1])]) { $1 }), nil))",
                    "\(status(any)) \(status([kSecAttrSynchronizable: false])) \(status([kSecAttrSynchronizable: "x"]))",
                    "\(status([kSecAttrAccessGroup: "T.g"])) \(status([kSecAttrAccessGroup: 7]))",
                    "\(SecItemUpdate(Self.query(item), [kSecAttrSynchronizable: false])) \(SecItemUpdate(Self.query(item), [:]))",
                ]
            }
            #expect(found == ["0", "-50", "0 0 -50", "0 -50", "0 -50"])
            #expect(pad.calls("keychain.add").map { $0["synchronizable"] } == [true])
            #expect(pad.calls("keychain.copy").map { $0["synchronizable"] } == ["any", nil, nil])
            #expect(pad.calls("keychain.copy").last?["group"] == "T.g")
            #expect(pad.calls("keychain.update").first?["becomesSynchronizable"] == false)
        }
    }

    @Suite("Background tasks", .timeLimit(.minutes(20))) struct BackgroundTasks {
        @Test("Task: begun, told of its end, ended once")
        func expiration() {
            let pad = PadDouble()
            nonisolated(unsafe) var task = UIBackgroundTaskIdentifier.invalid
            _ = pad.run {
                task = UIApplication.shared.beginBackgroundTask(withName: "hand over") {
                    UIApplication.shared.endBackgroundTask(task)
                }
                return []
            }
            #expect(task == UIBackgroundTaskIdentifier(rawValue: 3))
            pad.ask("app.backgroundTaskExpired", ["task": 3])
            pad.ask("app.backgroundTaskExpired", ["task": 3])
            #expect(pad.calls("app.endBackgroundTask") == [["task": 3]])
        }
    }
}
