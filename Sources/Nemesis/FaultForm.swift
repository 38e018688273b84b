import FleetModel

/// What a scenario writes for a kind of fault. Read off its initializer, which is where parameters are declared and checked.
public struct FaultForm: Hashable, Sendable {
    /// What a parameter may be; the first value is its default.
    public enum Kind: Hashable, Sendable {
        case probability(Double)
        case time(Span, ClosedRange<Span>)
        case number(Int, ClosedRange<Int>)
        case flag(Bool)
        /// A name of something in the run, or a route; without it the fault chooses, or takes all.
        case text
        case choice(String, of: [String])
    }
    /// One name that stands under `with`.
    public struct Parameter: Hashable, Sendable {
        /// As it stands in the scenario; unique within one form.
        public let name: String
        /// Nil: the initializer takes the name and never reads it.
        public fileprivate(set) var kind: Kind?
        /// The fault cannot be without it.
        public fileprivate(set) var isRequired = false
    }
    /// It lasts from `from` to `until`; else it takes `at`.
    public fileprivate(set) var isWindow = false
    /// In the order in which refusals name them.
    public fileprivate(set) var parameters: [Parameter] = []

    /// Lets the initializer read nothing, then a text for each parameter that takes one: some are read only where another one is given.
    init(of type: any Fault.Type) {
        let listener = FormListener()
        var spec = FaultSpec(id: type.name, kind: type.name, from: .zero, until: .zero + .seconds(1))
        func problem() -> FaultProblem? {
            FormListener.$current.withValue(listener) {
                do throws(FaultProblem) { _ = try type.init(spec) } catch { return error }
                return nil
            }
        }
        if let missing = problem()?.parameter { listener.require(missing) }
        for parameter in listener.form.parameters where parameter.kind == .text {
            let call = LocalCalls.names.first ?? ""
            spec.parameters[parameter.name] = .string(parameter.name == "call" ? call : "name")
        }
        _ = problem()
        self = listener.form
    }
    fileprivate init() {}
}

extension Fault {
    /// What a scenario writes for this kind.
    public static var form: FaultForm { FaultForm(of: self) }
}

/// Hears what an initializer asks of its parameters, inside one call.
final class FormListener: @unchecked Sendable {
    @TaskLocal static var current: FormListener?

    fileprivate private(set) var form = FaultForm()

    /// A fault that is made of another one names its parameters first.
    func takes(_ names: [String], isWindow: Bool) {
        form.isWindow = isWindow
        for name in names where !form.parameters.contains(where: { $0.name == name }) {
            form.parameters.append(.init(name: name))
        }
    }
    func reads(_ name: String, as kind: FaultForm.Kind) {
        for index in form.parameters.indices where form.parameters[index].name == name {
            form.parameters[index].kind = kind
        }
    }
    fileprivate func require(_ name: String) {
        for index in form.parameters.indices where form.parameters[index].name == name {
            form.parameters[index].isRequired = true
        }
    }
}
