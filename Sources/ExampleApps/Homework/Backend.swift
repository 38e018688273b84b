import Ubiquity

/// The app's own service, `https://backend.<app>`: login, hand-in, list (S14). Its password is kept in the keychain (S16).
@MainActor final class Backend {
    static let credentialField = "X-Credential"
    private let app: AppName
    /// Nil: unknown, or the backend no longer takes it.
    private(set) var credential: String?

    /// When the password can be read.
    private let accessible: CFString

    init(app: AppName, accessible: CFString) {
        self.app = app
        self.accessible = accessible
        var item: CFTypeRef?
        let found = SecItemCopyMatching(query.merging([kSecReturnData: true]) { _, new in new } as CFDictionary, &item)
        // Locked or missing both mean: not known yet. Nothing is thrown away for it.
        if found == errSecSuccess, let data = item as? Data { credential = String(decoding: data, as: UTF8.self) }
    }
    private var query: [String: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "backend.\(app)", kSecAttrAccount: "handIn"]
    }
    private func url(_ path: String) -> URL? { URL(string: "https://backend.\(app)/\(path)") }

    // MARK: Login

    func forgetCredential() { credential = nil }

    /// Asks for the password of this account.
    /// - Returns: false when the backend could not be asked or refused.
    func logIn() async -> Bool {
        guard let url = url("login") else { return false }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("{}".utf8)
        guard let (status, json) = await answer(to: request), status == 200, let given = json["credential"]?.string
        else { return false }
        credential = given
        keep(given)
        return true
    }
    private func keep(_ credential: String) {
        let value: [String: Any] = [
            kSecValueData: Data(credential.utf8), kSecAttrAccessible: accessible,
        ]
        if SecItemAdd(query.merging(value) { _, new in new } as CFDictionary, nil) == errSecDuplicateItem {
            SecItemUpdate(query as CFDictionary, value as CFDictionary)
        }
    }

    // MARK: Essays

    /// The upload of an essay: the same essay has the same address at each attempt, so that a retry makes no twin.
    func upload(_ id: String) -> URLRequest? {
        guard let address = address(id), let url = url(address) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.setValue(credential, forHTTPHeaderField: Self.credentialField)
        return request
    }
    private func address(_ id: String) -> String? { Outbox.encoded(id).map { Self.folder + $0 } }
    private static let folder = "essays/"

    /// Whether an answer's body really says that this essay is there. A captive portal answers 200 as well (bug zoo up-04).
    func confirms(_ body: Data, _ id: String, size: Int) -> Bool {
        guard let json = try? Value(json: Array(body)), let path = json["path"]?.string else { return false }
        return path == address(id) && json["size"]?.int == Int64(size)
    }

    /// What the account has handed in, on any iPad.
    /// - Returns: nil when the backend cannot be asked.
    func list() async -> [String: String]? {
        var essays: [String: String] = [:]
        var after: String?
        repeat {
            let more = after.flatMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) }
            guard let url = url(Self.folder + "?list" + (more.map { "&after=\($0)" } ?? "")),
                let (status, json) = await answer(to: URLRequest(url: url)), status == 200,
                let items = json["items"]?.array
            else { return nil }
            for item in items {
                guard let path = item["path"]?.string, path.hasPrefix(Self.folder), let data = item["data"]?.data,
                    let id = PlainName.decoded(String(path.dropFirst(Self.folder.count)))
                else { continue }
                essays[id] = String(decoding: data, as: UTF8.self)
            }
            after = json["next"]?.string
        } while after != nil
        return essays
    }

    /// Status and JSON of an answer; nil when there is none.
    private func answer(to request: URLRequest) async -> (Int, Value)? {
        guard let (data, response) = try? await URLSession.shared.data(for: request),
            let http = response as? HTTPURLResponse,
            let json = try? Value(json: Array(data))
        else { return nil }
        return (http.statusCode, json)
    }
}
