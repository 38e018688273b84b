import FleetModel

/// A place in a ubiquity container: `/var/mobile/Library/Mobile Documents/<container>/<relative>`.
struct ContainerPath: Hashable {
    var container: String
    /// Below the container's folder: `Documents/page-1.txt`, as the Cloud knows it.
    var relative: String
    /// It is a container of a person's second account, whose folders lie beside those of the own one.
    var isSecond = false

    /// The folder of all containers of a person.
    static let root = "/var/mobile/Library/Mobile Documents"

    init(container: String, relative: String, isSecond: Bool = false) {
        self.container = container
        self.relative = relative
        self.isSecond = isSecond
    }

    /// Reads an absolute path; nil when it does not lie in a container or is not normal (`..`, empty components, NUL).
    init?(_ path: String) {
        // By bytes: daemons ask this of every document at every turn.
        let bytes = path.utf8
        guard bytes.starts(with: Self.prefix) else { return nil }
        let rest = bytes.dropFirst(Self.prefix.count)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let folder = String(rest[..<slash]) ?? ""
        container = Self.container(ofFolder: folder)
        isSecond = folder != container
        relative = String(rest[rest.index(after: slash)...]) ?? ""
        guard Self.isContainer(container), Self.isNormal(relative) else { return nil }
    }
    private static let prefix = Array((root + "/").utf8)

    var absolute: String { "\(folder)/\(relative)" }
    var folder: String { Self.folder(of: container, second: isSecond) }
    static func folder(of container: String, second: Bool = false) -> String {
        "\(root)/\(second ? SecondAccount.name(of: container) : container)"
    }
    /// The identifier of the container whose folder is called so.
    static func container(ofFolder name: String) -> String { SecondAccount.user(of: name) }

    /// Whether a text can name a container: `iCloud.` and reverse DNS (icloud-documents.md 1).
    static func isContainer(_ text: String) -> Bool {
        let name = text.utf8
        guard name.starts(with: "iCloud.".utf8), name.count > 7 else { return false }
        var last: UInt8 = 0
        return name.allSatisfy { byte in
            defer { last = byte }
            return isUnreserved(byte) && !(byte == UInt8(ascii: ".") && last == byte)
        }
    }
    /// Whether a relative path is safe to use on the disk; the Cloud's paths are checked as an app's are.
    static func isNormal(_ relative: String) -> Bool {
        guard relative.utf8.count <= 1024 else { return false }
        // Of the present component: its bytes, and whether all of them are dots.
        var (count, isDots) = (0, true)
        for byte in relative.utf8 {
            switch byte {
            case 0: return false
            case UInt8(ascii: "/"):
                guard count > 2 || !isDots else { return false }
                (count, isDots) = (0, true)
            default:
                count += 1
                isDots = isDots && byte == UInt8(ascii: ".")
            }
        }
        return count > 2 || !isDots
    }

    /// `.nosync` on the file or a folder above it: never sent (S62).
    var isExcluded: Bool { relative.split(separator: "/").contains { $0.hasSuffix(".nosync") } }

    /// A text as part of a request's target.
    static func percentEncoded(_ text: String) -> String {
        var out = ""
        for byte in text.utf8 {
            if isUnreserved(byte) {
                out.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                out += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return out
    }
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
