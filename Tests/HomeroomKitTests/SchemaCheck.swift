import FleetModel
import Foundation

/// Holds a JSON value against one of the published schemas, as far as they use JSON Schema.
///
/// A keyword that it does not know is an error, so that no schema can say more than is checked.
struct SchemaCheck {
    static let folder = CommandLineRun.package.appending(path: "Docs/schemas")
    private(set) var problems: [String] = []

    /// - Parameter name: of the schema's file, without its ending.
    /// - Returns: what does not fit, each with its place in the value.
    static func problems(of value: Value, _ name: String) throws -> [String] {
        var check = SchemaCheck()
        try check.hold(value, against: load("\(name).schema.json"), at: "$")
        return check.problems
    }

    private static func load(_ file: String) throws -> Value {
        try Value(json: Array(Data(contentsOf: folder.appending(path: file))))
    }

    private mutating func hold(_ value: Value, against schema: Value, at place: String) throws {
        for (key, rule) in (schema.object?.pairs ?? []).map({ ($0.key, $0.value) }) {
            switch key {
            case "$schema", "$id", "title", "description": break
            case "$ref": try hold(value, against: Self.load(rule.string ?? ""), at: place)
            case "type":
                let wanted = rule.string.map { [$0] } ?? rule.strings
                if !wanted.contains(where: { Self.isOf($0, value) }) { problems.append("\(place): is not \(wanted)") }
            case "const": if value != rule { problems.append("\(place): is not \(rule.json)") }
            case "enum":
                if rule.array?.contains(value) != true { problems.append("\(place): is not one of \(rule.json)") }
            case "minimum":
                if let number = value.int, number < rule.int ?? 0 { problems.append("\(place): is too small") }
            case "pattern":
                guard let text = value.string, let pattern = rule.string else { continue }
                if text.range(of: pattern, options: .regularExpression) == nil {
                    problems.append("\(place): '\(text)' does not match \(pattern)")
                }
            case "required":
                for name in rule.strings where value.object != nil && value[name] == nil {
                    problems.append("\(place): lacks \(name)")
                }
            case "propertyNames":
                for name in value.object?.keys ?? [] { try hold(.string(name), against: rule, at: "\(place).\(name)") }
            case "properties", "additionalProperties": break
            case "items":
                for (index, one) in (value.array ?? []).enumerated() {
                    try hold(one, against: rule, at: "\(place)[\(index)]")
                }
            default: problems.append("\(place): the schema has a keyword that is not checked: \(key)")
            }
        }
        for pair in value.object?.pairs ?? [] {
            let inner = "\(place).\(pair.key)"
            if let rule = schema["properties"]?[pair.key] {
                try hold(pair.value, against: rule, at: inner)
            } else if let rule = schema["additionalProperties"] {
                if rule.bool == false { problems.append("\(inner): is not known") }
                if rule.object != nil { try hold(pair.value, against: rule, at: inner) }
            }
        }
    }

    private static func isOf(_ type: String, _ value: Value) -> Bool {
        switch type {
        case "object": value.object != nil
        case "array": value.array != nil
        case "string": value.string != nil
        case "boolean": value.bool != nil
        case "integer": value.int != nil
        case "number": value.double != nil
        case "null": value.isNull
        default: false
        }
    }
}
