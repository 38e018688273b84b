import FleetModel
import Workload

/// One change to a run that is written out: for who asks what its part was.
extension Scenario {
    /// Without one fault, by its place.
    public func without(fault place: Int) -> Scenario { without([.fault(place)]) }
    /// Without several faults, by their places in this scenario.
    public func without(faults places: [Int]) -> Scenario { without(places.map { .fault($0) }) }
    /// Without one step, by its place; other edits keep their names.
    public func without(step place: Int) -> Scenario { without([.steps([place])]) }

    /// All faults end at the moment, and none begins afterwards.
    public func healed(from moment: Instant) -> Scenario {
        var scenario = self
        scenario.faults = faults.filter { $0.from <= moment }.map { fault in
            var fault = fault
            // A window has a length.
            if fault.until > fault.from {
                fault.until = max(min(fault.until, moment), Instant(nanoseconds: fault.from.nanoseconds + 1))
            }
            return fault
        }
        return scenario
    }

    /// Another app does everything that this one did.
    public func replacing(app gone: AppName, by kept: AppName) -> Scenario {
        var scenario = self
        scenario.apps = apps.map { $0 == gone ? kept : $0 }
        scenario.work = Work(apps: scenario.apps.map { .init($0) })
        scenario.work.ipadsEach = work.ipadsEach
        for index in steps.indices {
            switch steps[index].deed {
            case .open(gone): scenario.steps[index].deed = .open(kept)
            case .edit(gone, let action, let item, let text):
                scenario.steps[index].deed = .edit(kept, action: action, item: item, text: text)
            case .command(let message) where message["app"]?.string == gone:
                var body = message.body
                body["app"] = .string(kept)
                scenario.steps[index].deed = .command(Message(message.name, body))
            default: break
            }
        }
        for index in faults.indices where faults[index].parameters["app"]?.string == gone {
            scenario.faults[index].parameters["app"] = .string(kept)
        }
        return scenario
    }

    /// The token of each edit, by its place among the steps.
    public var tokens: [Int: Token] {
        var tokens: [Int: Token] = [:]
        for (index, step) in numbered.steps.enumerated() {
            if let number = step.number { tokens[index] = "\(step.person).\(number)" }
        }
        return tokens
    }
}

extension Scenario.WrittenStep.Deed {
    /// The app that it is about.
    public var app: AppName? {
        switch self {
        case .open(let app), .edit(let app, _, _, _): app
        case .command(let message): message["app"]?.string
        default: nil
        }
    }
    /// Of an edit.
    public var item: String? { if case .edit(_, _, let item, _) = self { item } else { nil } }
}
