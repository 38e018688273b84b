/// What names mean inside the body that is being read: locals, closures' parameters, generic parameters, types around.
struct Scopes {
    private var locals: [[String: TypeName]] = [[:]]
    private var generics: [Set<String>] = []
    /// Declared in a condition, for the block that follows it.
    private var pending: [String: TypeName] = [:]
    /// Paths of the types around, the innermost last.
    private(set) var types: [String] = []
    /// Between `if` and its block: a brace begins the block, not a closure.
    var isCondition = false
    /// What the condition declares is for the code after it.
    var isGuard = false

    mutating func push() { locals.append([:]) }
    mutating func pushBlock() {
        locals.append(pending)
        pending = [:]
        isCondition = false
    }
    mutating func pop() { if locals.count > 1 { locals.removeLast() } }

    mutating func declare(_ name: String, _ type: TypeName) {
        if isCondition, !isGuard { pending[name] = type }
        // Later conditions of the same `if` see it too.
        if !isCondition || isGuard { locals[locals.count - 1][name] = type }
    }
    func local(_ name: String) -> TypeName? {
        if isCondition, let type = pending[name] { return type }
        for scope in locals.reversed() { if let type = scope[name] { return type } }
        return nil
    }
    func isGeneric(_ name: String) -> Bool { generics.contains { $0.contains(name) } }

    /// Runs `body` inside a type or function.
    mutating func enter(type: String? = nil, generics names: [String]) {
        if let type { types.append(type) }
        generics.append(Set(names))
        push()
    }
    mutating func leave(type: Bool) {
        if type { types.removeLast() }
        generics.removeLast()
        pop()
    }
    mutating func declare(type name: String) {
        if generics.isEmpty { generics.append([name]) } else { generics[generics.count - 1].insert(name) }
    }
}
