import CInterpose
import FleetModel
import Glibc
import PadApp

/// Methods of apps that look like those that the iPad calls, while the iPad's calls went to a default, which does nothing.
///
/// A method with another name or other types than a requirement compiles, and nobody calls it. Two things are known: that a default ran, which
/// it counts itself (`DefaultCalls`), and how the author's methods are called, from the executable's table of symbols. Only both together are
/// told. A stripped executable, and an optimizer that drops what nobody calls, hide the second; then nothing is said.
struct NearMisses {
    /// A class whose methods the iPad calls.
    fileprivate struct Delegate {
        var app: AppName
        var type: Any.Type
        var written: [Method]
        var wanted: [String]
    }
    private let delegates: [Delegate]

    init(_ apps: [AppName]) {
        delegates = apps.compactMap { app in
            guard let type = Homeroom.catalogue.delegates[app] else { return nil }
            let written = Method.written(in: type)
            guard !written.isEmpty else { return nil }
            return Delegate(
                app: app, type: type, written: written,
                wanted: type is any PadAppDelegate.Type ? DefaultCalls.ofApps : DefaultCalls.ofDelegates)
        }
    }

    /// Has defaults count from here on, in memory that lives as long as this process. What runs apps is forked later.
    func count(pads: Int) {
        let types = delegates.map(\.type)
        let size = DefaultCalls.size(types: types.count, pads: pads) * MemoryLayout<UInt64>.stride
        guard size > 0 else { return }
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return }
        DefaultCalls.begin(types, pads: pads, in: memory.assumingMemoryBound(to: UInt64.self))
    }

    /// One for each method of the iPad whose default ran while the app has something that looks like it.
    var lines: [String] {
        delegates.flatMap { delegate in
            delegate.wanted.compactMap { wanted in
                let calls = DefaultCalls.count(wanted, of: delegate.type)
                guard calls > 0, let near = delegate.near(wanted) else { return nil }
                let times = calls == 1 ? "1 call" : "\(calls) calls"
                let why = near.name == wanted ? "its types are others: " + near.types : "its name is another"
                return
                    "\(delegate.app): \(times) of \(wanted) went to the default, which does nothing; did you mean that by \(near.name)? \(why) (Docs/apps.md, the contract)"
            }
        }
    }

    /// A method as its author has written it.
    struct Method: Hashable {
        /// With the labels of its arguments: `application(didFinishLaunching:)`.
        var name: String
        /// Of arguments and result.
        var types: String

        /// - Parameter text: as Swift's runtime writes a function, without the type it belongs to.
        init?(_ text: some StringProtocol) {
            let text = String(text)
            guard let open = text.firstIndex(of: "("), let first = text.first, first.isLetter || first == "_" else {
                return nil
            }
            guard text[..<open].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
            var (depth, labels, isLabel, word, close) = (0, "", true, "", text.endIndex)
            for index in text[open...].indices {
                let character = text[index]
                switch character {
                case "(", "[", "<": depth += 1
                case ")", "]",
                    ">" where depth > 0 && !(character == ">" && text[..<index].last == "-"):
                    depth -= 1
                default: break
                }
                if depth == 0 {
                    close = index
                    break
                }
                guard depth == 1, index != open else { continue }
                switch character {
                case ",":
                    if isLabel { labels += "_:" }
                    (isLabel, word) = (true, "")
                case ":" where isLabel:
                    labels += word + ":"
                    isLabel = false
                case " ": break
                default: word.append(character)
                }
            }
            guard close != text.endIndex else { return nil }
            // An argument without a label is its type alone.
            if isLabel, !word.isEmpty { labels += "_:" }
            name = text[..<open] + "(" + labels + ")"
            types = String(text[open...])
        }

        /// What the author wrote in a class, from the table of symbols, in alphabetical order.
        /// Read once: workers are forked with what their supervisor has read.
        static func written(in type: Any.Type) -> [Method] {
            if let read = read[ObjectIdentifier(type)] { return read }
            guard let mangled = _mangledTypeName(type) else { return [] }
            let own = _typeName(type, qualified: true) + "."
            let methods = Set(
                OwnSymbols.beginning(with: "$s" + mangled).compactMap { text in
                    text.hasPrefix(own) ? Method(text.dropFirst(own.count)) : nil
                }
            ).sorted { ($0.name, $0.types) < ($1.name, $1.types) }
            read[ObjectIdentifier(type)] = methods
            return methods
        }
        /// A supervisor and its workers have one thread each.
        nonisolated(unsafe) private static var read: [ObjectIdentifier: [Method]] = [:]
    }
}

extension NearMisses.Delegate {
    /// What the author has written that looks most like a method whose default ran.
    func near(_ wanted: String) -> NearMisses.Method? {
        // The default ran, so one of the very name has other types.
        if let same = written.first(where: { $0.name == wanted }) { return same }
        let plain = Self.plain(wanted)
        let candidates = written.filter { !self.wanted.contains($0.name) }.compactMap { method in
            Self.distance(Self.plain(method.name), plain).map { (method, $0) }
        }
        return candidates.min { $0.1 < $1.1 }?.0
    }
    /// Without what is different in every second memory of it: arguments without a label, capital letters.
    private static func plain(_ name: String) -> [Character] { Array(name.lowercased().replacing("_:", with: "")) }

    /// How many letters to put in, leave out or exchange; nil for more than an eighth of the name. A name that goes on where the other ends, at a
    /// label, is as near as one letter.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int? {
        let (short, long) =
            one.count < other.count ? (one.dropLast(), one.count == other.count ? one : other) : (other.dropLast(), one)
        if short.last == ":", long.starts(with: short) { return 1 }
        let limit = max(2, other.count / 8)
        guard abs(one.count - other.count) <= limit else { return nil }
        var row = Array(0...other.count)
        for (i, a) in one.enumerated() {
            var corner = row[0]
            row[0] = i + 1
            for (j, b) in other.enumerated() {
                let next = min(row[j] + 1, row[j + 1] + 1, corner + (a == b ? 0 : 1))
                (corner, row[j + 1]) = (row[j + 1], next)
            }
        }
        return row[other.count] <= limit ? row[other.count] : nil
    }
}

/// Functions of this executable's own table of symbols.
enum OwnSymbols {
    /// As the runtime writes them, of all that begin with a mangled prefix.
    static func beginning(with prefix: String) -> [String] {
        final class Found { var names: [String] = [] }
        let found = Found()
        hr_own_symbols(prefix, Unmanaged.passUnretained(found).toOpaque()) { context, name in
            guard let context, let name, let text = hr_demangled(name) else { return }
            defer { free(text) }
            Unmanaged<Found>.fromOpaque(context).takeUnretainedValue().names.append(String(cString: text))
        }
        return found.names
    }
}
