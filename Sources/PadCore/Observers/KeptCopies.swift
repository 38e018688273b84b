import FleetModel
import Storage

/// Which files of apps hold edits that no service answers for: the moment when the last of them goes may be the moment when nobody has the
/// edit any more.
///
/// An edit is in its app's care from the moment it is given to the app until a service answers for it, and again when it comes back. Of an
/// upload the app stays in charge until it hears that it arrived: what failed the system forgets, and has the app begin again. Files are
/// looked into as they are written, while their app has something in its care; what is on the disk already is read when an app first
/// starts in this life of the iPad, and when a service lets go of an edit.
///
/// Not seen: what an app keeps compressed or encrypted, what it writes in pieces that split a payload, and its memory.
struct KeptCopies {
    struct Owner: Hashable {
        var person: Person
        var app: AppName
    }
    private struct Care {
        var owner: Owner
        var paths: Set<String> = []
        /// The system has it for an upload that has not ended.
        var isUnderWay = false
    }
    private var care: [Token: Care] = [:]
    /// The same by file: what is written or removed is looked up by its path.
    private var files: [Owner: [String: Set<Token>]] = [:]
    /// How many edits each app has in its care: an app without any costs nothing.
    private var counts: [Owner: Int] = [:]
    private var known: Set<Owner> = []

    func isCaring(_ owner: Owner) -> Bool { counts[owner, default: 0] > 0 }
    func isInCare(_ token: Token) -> Bool { care[token] != nil }

    /// - Returns: whether this is the app's first start in this life of the iPad.
    mutating func meets(_ owner: Owner) -> Bool { known.insert(owner).inserted }

    /// The app has to look after an edit from now on.
    mutating func take(_ token: Token, _ owner: Owner, in paths: Set<String> = []) {
        if care[token] == nil { counts[owner, default: 0] += 1 }
        care[token, default: Care(owner: owner)].paths.formUnion(paths)
        for path in paths { files[owner, default: [:]][path, default: []].insert(token) }
    }
    /// An upload has it, or has failed.
    mutating func mark(_ tokens: [Token], isUnderWay: Bool) {
        for token in tokens { care[token]?.isUnderWay = isUnderWay }
    }
    func isUnderWay(_ token: Token) -> Bool { care[token]?.isUnderWay == true }
    /// A service answers for it.
    mutating func release(_ tokens: [Token]) {
        for token in tokens {
            guard let held = care.removeValue(forKey: token) else { continue }
            counts[held.owner, default: 1] -= 1
            for path in held.paths { lift(token, from: path, held.owner) }
        }
    }
    private mutating func lift(_ token: Token, from path: String, _ owner: Owner) {
        files[owner]?[path]?.remove(token)
        if files[owner]?[path]?.isEmpty == true { files[owner]?[path] = nil }
    }
    mutating func forget(_ person: Person) {
        release(care.filter { $0.value.owner.person == person }.map(\.key))
        known = known.filter { $0.person != person }
    }

    // MARK: Files

    /// A file holds these tokens from now on.
    /// - Parameter isAdded: what it held before it still holds.
    /// - Returns: edits that lay there, and lie nowhere now; sorted.
    mutating func wrote(_ path: String, _ tokens: [Token], isAdded: Bool, by owner: Owner) -> [Token] {
        for token in tokens where care[token]?.owner == owner { take(token, owner, in: [path]) }
        return isAdded ? [] : leave([path], besides: Set(tokens), owner)
    }
    /// A file or folder is gone.
    mutating func removed(_ path: String, by owner: Owner) -> [Token] {
        leave(paths(atOrBelow: path, owner), owner)
    }
    /// Nothing lies where a file is moved to: the disk refuses that.
    mutating func moved(_ path: String, to target: String, by owner: Owner) {
        for old in paths(atOrBelow: path, owner) {
            let new = target + old.dropFirst(path.count)
            for token in files[owner]?.removeValue(forKey: old) ?? [] {
                care[token]?.paths.remove(old)
                take(token, owner, in: [new])
            }
        }
    }
    /// A file with tokens has none below it.
    private func paths(atOrBelow path: String, _ owner: Owner) -> [String] {
        guard let own = files[owner] else { return [] }
        return own[path] != nil ? [path] : own.keys.filter { $0.hasPrefix(path + "/") }
    }
    private mutating func leave(_ paths: [String], besides kept: Set<Token> = [], _ owner: Owner) -> [Token] {
        var gone: [Token] = []
        for path in paths {
            for token in files[owner]?[path] ?? [] where !kept.contains(token) {
                lift(token, from: path, owner)
                care[token]?.paths.remove(path)
                if care[token]?.paths.isEmpty == true { gone.append(token) }
            }
        }
        return gone.sorted()
    }
}
