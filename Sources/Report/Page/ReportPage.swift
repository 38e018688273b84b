import FleetModel

/// `report.html`: the picture of one run on one page that needs nothing else, no network and no file next to it.
///
/// Its parts are the files of `Parts`, which the compiler puts into the program: an executable that is copied somewhere still has them.
public enum ReportPage {
    /// - Returns: the page as UTF-8. The same picture gives the same bytes.
    public static func html(_ picture: RunPicture) -> [UInt8] {
        let title = "\(picture.report.scenario), seed \(picture.report.seed): \(picture.report.verdict.rawValue)"
        return PageShell.html(
            title: title, styles: [PackageResources.base_css, PackageResources.report_css],
            body: PackageResources.report_html, data: PageData.value(picture), scripts: scripts)
    }

    /// In the order in which they build on each other.
    private static let scripts = [
        PackageResources.words_js, PackageResources.data_js, PackageResources.marks_js, PackageResources.lanes_js,
        PackageResources.view_js, PackageResources.draw_js, PackageResources.trails_js, PackageResources.story_js,
        PackageResources.head_js, PackageResources.filter_js, PackageResources.input_js, PackageResources.main_js,
    ]
}

/// What every page is put together from.
enum PageShell {
    /// Nothing is loaded from anywhere and nothing is sent, whatever the data holds.
    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

    static func html(title: String, styles: [[UInt8]], body: [UInt8], data: Value, scripts: [[UInt8]]) -> [UInt8] {
        var out: [UInt8] = []
        func add(_ text: String) { out.append(contentsOf: text.utf8) }
        add(
            """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <title>\(escaped(title))</title>
            <style>

            """)
        for style in styles { out += style }
        add("</style>\n</head>\n<body>\n")
        out += body
        add("<script type=\"application/json\" id=\"data\">")
        out += embedded(data)
        add("</script>\n<script>\n\"use strict\";\n")
        for script in scripts { out += script }
        add("</script>\n</body>\n</html>\n")
        return out
    }

    /// JSON that may stand in a script element: nothing in it can end the element or begin a comment, whatever people wrote.
    static func embedded(_ data: Value) -> [UInt8] {
        var out: [UInt8] = []
        for byte in data.jsonBytes {
            switch byte {
            // They stand in strings only, where JSON knows them by their number too.
            case UInt8(ascii: "<"): out += Array("\\u003c".utf8)
            case UInt8(ascii: ">"): out += Array("\\u003e".utf8)
            case UInt8(ascii: "&"): out += Array("\\u0026".utf8)
            default: out.append(byte)
            }
        }
        return out
    }

    /// Text as an element or an attribute may hold it.
    static func escaped(_ text: String) -> String {
        var out = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            default: out.unicodeScalars.append(character)
            }
        }
        return out
    }
}
