import FleetModel

/// The installed app: signed, so that it can be read and never changed (app-lifecycle.md 13; S170). It holds the Info.plist.
struct AppBundle {
    /// `/var/mobile/Containers/Bundle/Application/<bundle>/<last part>.app`
    let root: String
    private let files: () -> [String: [UInt8]]

    /// - Parameter files: contents by name, asked for only when the bundle is looked at.
    init(of bundle: String, files: @escaping () -> [String: [UInt8]]) {
        root = AppManifest.bundlePath(of: bundle)
        self.files = files
    }

    func contains(_ path: String) -> Bool { path == root || path.hasPrefix(root + "/") }

    /// A `file.` call inside the bundle.
    func serve(_ name: String, _ path: String) throws(LinkError) -> Value {
        let file = files()[String(path.dropFirst(root.count + 1))]
        switch name {
        case FileMessages.Read.name:
            guard let file else { throw .cocoa(260, "there is no file at \(path)") }
            return FileMessages.Bytes(file).body
        case FileMessages.List.name:
            guard path == root else { throw .cocoa(260, "there is no folder at \(path)") }
            let names = files().keys.sorted()
            return FileMessages.List.Answer { $0.names = names }.body
        case FileMessages.Stat.name:
            return FileMessages.Stat.Answer {
                ($0.exists, $0.folder, $0.size) = (path == root || file != nil, path == root, file?.count ?? 0)
            }.body
        default: throw .cocoa(513, "\(path) is part of the app and signed: copy it before you change it")
        }
    }
}

extension AppCatalogue {
    func bundleFiles(of app: AppName) -> [String: [UInt8]] {
        guard var plist = manifest(of: app)?.infoPlist else { return [:] }
        if let version = kernel.state.apps.versions[app] { plist["CFBundleVersion"] = version }
        return ["Info.plist": Array(PropertyListText.document(plist).utf8)]
    }
}

/// A property list in Apple's XML form.
enum PropertyListText {
    static func document(_ value: Value) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">\(element(value))</plist>

        """
    }
    /// Null has no form in a property list and is left out.
    private static func element(_ value: Value) -> String {
        switch value {
        case .null: ""
        case .bool(let flag): flag ? "<true/>" : "<false/>"
        case .int(let number): "<integer>\(number)</integer>"
        case .double(let number): "<real>\(number)</real>"
        case .string(let text): "<string>\(escaped(text))</string>"
        case .data(let bytes): "<data>\(base64(bytes))</data>"
        case .array(let values): "<array>\(values.map(element).joined())</array>"
        case .object(let object):
            "<dict>"
                + object.pairs.filter { !$0.value.isNull }.map { "<key>\(escaped($0.key))</key>\(element($0.value))" }
                .joined() + "</dict>"
        }
    }
    private static func escaped(_ text: String) -> String {
        var out = ""
        for character in text {
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            default: out.append(character)
            }
        }
        return out
    }
    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var out = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                out.append(index <= group.count ? letters[Int(bits >> UInt32(18 - 6 * index) & 63)] : "=")
            }
        }
        return out
    }
}
