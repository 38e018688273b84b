import FleetModel
import Glibc

/// A field with two axes, in units of the picture, and what is drawn on it.
struct Drawing {
    static let width = 760.0
    static let height = 300.0
    private static let left = 64.0
    private static let right = 740.0
    private static let top = 14.0
    private static let bottom = 262.0

    private(set) var parts: [String] = []

    /// - Parameter place: 0 at the left end of the field, 1 at its right end.
    static func x(_ place: Double) -> Double { left + place * (right - left) }
    /// - Parameter place: 0 at the bottom, 1 at the top.
    static func y(_ place: Double) -> Double { bottom - place * (bottom - top) }

    mutating func verticalTick(_ place: Double, _ label: String) {
        let x = Self.x(place).brief
        parts.append(#"<line class="grid" x1="\#(x)" y1="\#(Self.top.brief)" x2="\#(x)" y2="\#(Self.bottom.brief)"/>"#)
        text(label, Self.x(place), Self.bottom + 18, anchor: "middle")
    }
    mutating func horizontalTick(_ place: Double, _ label: String) {
        let y = Self.y(place).brief
        parts.append(#"<line class="grid" x1="\#(Self.left.brief)" y1="\#(y)" x2="\#(Self.right.brief)" y2="\#(y)"/>"#)
        text(label, Self.left - 8, Self.y(place) + 4, anchor: "end")
    }
    /// What an axis counts, under its right end.
    mutating func caption(_ label: String) { text(label, Self.right, Self.height - 4, anchor: "end") }

    /// - Parameters:
    ///   - points: in places of the field.
    ///   - kind: class in the style sheet: gives the colour.
    mutating func line(_ points: [(x: Double, y: Double)], kind: String, title: String) {
        guard !points.isEmpty else { return }
        let path = points.map { "\(Self.x($0.x).brief),\(Self.y($0.y).brief)" }.joined(separator: " ")
        parts.append(
            #"<polyline class="line \#(kind)" points="\#(path)"><title>\#(title.escaped)</title></polyline>"#)
    }
    /// - Parameters:
    ///   - name: stands in the band, at its left end.
    ///   - row: which line of text, so that names of bands that overlap do not.
    mutating func band(from: Double, until: Double, name: String, row: Int, title: String) {
        let width = max(2, Self.x(until) - Self.x(from))
        parts.append(
            #"<rect class="fault" x="\#(Self.x(from).brief)" y="\#(Self.top.brief)" width="\#(width.brief)" height="\#((Self.bottom - Self.top).brief)"><title>\#(title.escaped)</title></rect>"#
        )
        let isLate = from > 0.8
        text(
            name, Self.x(isLate ? until : from) + (isLate ? -3 : 3), Self.top + 11 + 13 * Double(row),
            anchor: isLate ? "end" : "start", kind: "label name")
    }
    mutating func mark(_ place: Double, title: String) {
        let x = Self.x(place).brief
        parts.append(
            #"<line class="bell" x1="\#(x)" y1="\#(Self.top.brief)" x2="\#(x)" y2="\#(Self.bottom.brief)"><title>\#(title.escaped)</title></line>"#
        )
    }
    mutating func text(_ text: String, _ x: Double, _ y: Double, anchor: String = "start", kind: String = "label") {
        parts.append(
            #"<text class="\#(kind)" x="\#(x.brief)" y="\#(y.brief)" text-anchor="\#(anchor)">\#(text.escaped)</text>"#)
    }

    /// - Parameter title: said to who cannot see it.
    func svg(title: String) -> String {
        #"<svg viewBox="0 0 \#(Self.width.brief) \#(Self.height.brief)" role="img" aria-label="\#(title.escaped)">"#
            + "\n" + parts.joined(separator: "\n") + "\n</svg>"
    }
}

/// Places on a logarithmic axis, its ends at whole powers of ten.
struct LogAxis {
    let ends: ClosedRange<Double>

    /// - Parameter values: what has to fit; zero counts as the least that is shown.
    init(_ values: [Double], least: Double) {
        let shown = values.map { max($0, least) }
        let low = log10(shown.min() ?? least).rounded(.down)
        let high = log10(shown.max() ?? least * 10).rounded(.up)
        ends = low...max(high, low + 1)
    }
    func place(_ value: Double) -> Double {
        (log10(max(value, pow(10, ends.lowerBound))) - ends.lowerBound) / (ends.upperBound - ends.lowerBound)
    }
    /// A tick of an axis of times in nanoseconds: also beyond a minute in seconds, whose powers of ten are no round minutes.
    static func label(_ tick: Double) -> String {
        tick < 5e10 ? Span(nanoseconds: Int64(tick)).short : "\(Int64((tick / 1e9).rounded())) s"
    }
    /// Powers of ten.
    var ticks: [Double] { stride(from: ends.lowerBound, through: ends.upperBound, by: 1).map { pow(10, $0) } }
}

extension Double {
    /// To a tenth of a unit.
    var brief: String {
        guard isFinite else { return "0" }
        let tenths = Int64((Swift.min(Swift.max(self, -1e6), 1e6) * 10).rounded())
        let fraction = abs(tenths % 10)
        return (tenths < 0 && tenths > -10 ? "-" : "") + "\(tenths / 10)" + (fraction == 0 ? "" : ".\(fraction)")
    }
}

extension String {
    /// For text and attributes of HTML.
    var escaped: String {
        var out = ""
        for character in unicodeScalars {
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            default: out.unicodeScalars.append(character)
            }
        }
        return out
    }
}
