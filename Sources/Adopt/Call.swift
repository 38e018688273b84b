/// The form of a call: which functions it fits.
struct Call: Equatable {
    /// Of the arguments in the parentheses and of labelled closures behind them; `_` for none.
    var labels: [String] = []
    /// A closure stands behind the parentheses.
    var hasTrailing = false

    var text: String { "(\(labels.map { "\($0):" }.joined()))\(hasTrailing ? " { }" : "")" }

    /// The parameter of each argument; nil if the call does not fit.
    func parameters(of function: Declaration) -> [Declaration.Parameter]? {
        let parameters = function.parameters
        var (found, argument, isTrailingUsed) = ([Declaration.Parameter](), 0, !hasTrailing)
        var trailing: Declaration.Parameter?
        for (index, parameter) in parameters.enumerated() {
            let label = function.kind == .subscript ? "_" : parameter.label
            if argument < labels.count, labels[argument] == label {
                found.append(parameter)
                argument += 1
                while parameter.isVariadic, argument < labels.count, labels[argument] == "_" {
                    found.append(parameter)
                    argument += 1
                }
            } else if !isTrailingUsed, mayBeClosure(parameter.type),
                !parameter.hasDefault || !parameters[(index + 1)...].contains(where: { mayBeClosure($0.type) })
            {
                isTrailingUsed = true
                trailing = parameter
            } else if !parameter.hasDefault, !parameter.isVariadic {
                return nil
            }
        }
        guard argument == labels.count, isTrailingUsed else { return nil }
        return found + (trailing.map { [$0] } ?? [])
    }
    func fits(_ function: Declaration) -> Bool { parameters(of: function) != nil }
    /// A closure, or a typealias, which may be of one.
    private func mayBeClosure(_ type: TypeName) -> Bool {
        switch type {
        case .function: true
        case .named(let path, _): !["String", "Int", "Bool", "URL", "Data", "Date"].contains(path)
        default: false
        }
    }
}
