import CloudKit
import FleetModel
import Testing

/// Channels that are no CloudKit, from the app to another iPad, with one packet lost at each place in turn; CloudKit's own sweep stands
/// beside its daemon.
@Suite("Lost packets", .timeLimit(.minutes(20))) struct LostPacketTests {
    enum Channel: String, CaseIterable, Sendable {
        case pair, document, credential, upload

        /// Beginning of the targets of its requests.
        var route: String {
            switch self {
            case .pair: "/kvs/"
            case .document: "/documents/"
            case .credential: "/keychain/"
            case .upload: "/upload/v1/notebook/essay"
            }
        }
        /// Hands something over, and gives the system time.
        @MainActor func handOver() async throws {
            switch self {
            case .pair: NSUbiquitousKeyValueStore.default.set("whole", forKey: "word")
            case .document:
                let page = try await Self.page()
                var error: NSError?
                NSFileCoordinator().coordinate(writingItemAt: page, error: &error) {
                    try? "whole".write(to: $0, atomically: false, encoding: .utf8)
                }
                #expect(error == nil)
            case .credential:
                let item: CFDictionary = Self.item.merging([kSecValueData: Data("whole".utf8)]) { $1 }
                #expect(SecItemAdd(item, nil) == errSecSuccess)
            case .upload: try await Self.upload()
            }
            try await Task.sleep(for: .seconds(1800))
        }
        /// What another iPad of the person has of it.
        @MainActor func find() async throws -> String? {
            switch self {
            case .pair:
                NSUbiquitousKeyValueStore.default.synchronize()
                try await Task.sleep(for: .seconds(60))
                return NSUbiquitousKeyValueStore.default.string(forKey: "word")
            case .document:
                let page = try await Self.page()
                // First its name arrives.
                try await Task.sleep(for: .seconds(60))
                try FileManager.default.startDownloadingUbiquitousItem(at: page)
                try await Task.sleep(for: .seconds(60))
                return FileManager.default.contents(atPath: page.path).map { String(decoding: $0, as: UTF8.self) }
            case .credential:
                var found: CFTypeRef?
                SecItemCopyMatching(Self.item.merging([kSecReturnData: true]) { $1 }, &found)
                return (found as? Data).map { String(decoding: $0, as: UTF8.self) }
            case .upload:
                let (data, _) = try await URLSession.shared.data(for: try await Self.essay("GET"))
                return String(decoding: data, as: UTF8.self)
            }
        }

        private static var item: CFDictionary {
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
            ]
        }
        private static func page() async throws -> URL {
            let container = await Task.detached { FileManager.default.url(forUbiquityContainerIdentifier: nil) }.value
            return try #require(container).appending(path: "Documents/page.txt")
        }
        @MainActor private static func upload() async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "essay")
            try "whole".write(to: file, atomically: true, encoding: .utf8)
            let session = URLSession(configuration: .background(withIdentifier: "s"))
            session.uploadTask(with: try await essay("PUT"), fromFile: file).resume()
        }
        /// A request to the app's backend, with the password that it gives.
        private static func essay(_ method: String) async throws -> URLRequest {
            var login = URLRequest(url: try #require(URL(string: "https://backend.notebook/login")))
            login.httpMethod = "POST"
            login.httpBody = Data("{}".utf8)
            let (data, _) = try await URLSession.shared.data(for: login)
            var request = URLRequest(url: try #require(URL(string: "https://backend.notebook/essay")))
            request.httpMethod = method
            let given = try #require(try Value(json: Array(data))["credential"]?.string)
            request.setValue(given, forHTTPHeaderField: "X-Credential")
            return request
        }
    }

    @Test(
        "Sweep: request N of a channel is lost, or its answer, until all is there: it arrives, whole (S211)",
        arguments: Channel.allCases, [true, false])
    func sweep(channel: Channel, isRequest: Bool) throws {
        var losses = 0
        for lost in 1...6 {
            let school = try School(["maya", "maya"])
            var count = 0
            func isMine(_ request: HTTPRequest) -> Bool {
                guard request.target.hasPrefix(channel.route) else { return false }
                count += 1
                return count == lost
            }
            if isRequest {
                school.reach = { isMine($0) ? .connectionLost : nil }
            } else {
                school.losesAnswer = isMine
            }
            school.run(on: 1) { try await channel.handOver() }
            if count >= lost { losses += 1 }
            (school.reach, school.losesAnswer) = ({ _ in nil }, { _ in false })
            school.run(on: 2) {
                let found = try await channel.find()
                #expect(found == "whole", "number \(lost) of \(channel) was lost")
            }
        }
        #expect(losses > 0, "the requests of \(channel) were lost, one at a time")
    }
}
