import FleetModel
import Foundation
import Testing
import Trace

@testable import Report

@Suite("Pages", .timeLimit(.minutes(20))) struct PageTests {
    static let html = String(decoding: ReportPage.html(SmallPicture.picture()), as: UTF8.self)

    @Test("Words: the page knows every class of harm")
    func classes() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Report/Page/Parts/words.js").standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        for lossClass in LossClass.allCases { #expect(text.contains("  \(lossClass.rawValue): \""), "\(lossClass)") }
    }

    @Test("Hostile texts: whatever people wrote, no element begins or ends in it, and the data comes back as it was")
    func hostile() throws {
        let opening = "<script type=\"application/json\" id=\"data\">"
        let parts = Self.html.components(separatedBy: opening)
        try #require(parts.count == 2)
        let data = parts[1].components(separatedBy: "</script>")[0]
        #expect(!data.contains("<") && !data.contains(">") && !data.contains("&"))
        let value = try Value(json: Array(data.utf8))
        #expect(value["run"]?["scenario"]?.string == SmallPicture.hostile)
        #expect(value["stories"]?.array?.first?["summary"]?.string == SmallPicture.hostile)
        #expect(!Self.html.contains("<img") && Self.html.components(separatedBy: "<script").count == 3)
        #expect(Self.html.contains("<title>&lt;/script&gt;&lt;script&gt;document.title=&#39;owned"))
    }

    @Test("Offline: no address of the network but the name of SVG, nothing loaded, and a policy that forbids it")
    func offline() {
        let pages = [Self.html, Self.summary]
        for whole in pages {
            // The data is no markup: what stands in it is the test above.
            let parts = whole.components(separatedBy: "<script type=\"application/json\"")
            let head = parts[0].replacing(/<title>[^<]*<\/title>/, with: "")
            let page = head + (parts.last?.components(separatedBy: "</script>").dropFirst().joined() ?? "")
            let addresses = page.matches(of: /[a-z]+:\/\/[^"'\s)]*/).map { String($0.output) }
            #expect(Set(addresses).subtracting(["http://www.w3.org/2000/svg"]) == [])
            for word in [
                " src=", "@import", "url(http", "fetch(", "XMLHttpRequest", "innerHTML", "eval(", "document.write",
            ] {
                #expect(!page.contains(word), "\(word)")
            }
            #expect(page.contains("default-src 'none'") && page.contains("charset=\"utf-8\""))
        }
    }
    static let summary = String(
        decoding: SummaryPage.html(
            [
                .init(report: report(), folder: "a", page: "a/report.html"),
                .init(report: report(.invalid, counts: [.lost: 2]), folder: SmallPicture.hostile, page: nil),
            ], coverage: FaultCoverage(), marks: ["user-switched"], faults: ["latency"], remarks: [SmallPicture.hostile]
        ),
        as: UTF8.self)

    @Test("Summary: hostile names stay text; marks and faults that no run reached are there too")
    func summaryData() throws {
        let data = try #require(
            Self.summary.components(separatedBy: "id=\"data\">").last?.components(separatedBy: "</script>").first)
        #expect(!data.contains("<"))
        let value = try Value(json: Array(data.utf8))
        #expect(value["remarks"]?.strings == [SmallPicture.hostile])
        #expect(value["marks"]?.strings == ["user-switched"])
        #expect(value["faults"]?.array?.first?["kind"]?.string == "latency")
        #expect(value["runs"]?.array?.count == 2)
    }

    @Test("Size: a hundred thousand messages and two thousand edits take less than 15 MB")
    func size() {
        var history = SmallPicture.history
        for number in 3..<2000 {
            let token = "maya.\(number)"
            history.append(SmallPicture.invoked(token, 60, pad: 1, item: "note-\(number)"))
            history.append(SmallPicture.note(.performed, 60, tokens: [token]))
            history.append(SmallPicture.note(.committed, 60, from: .cloud, tokens: [token]))
        }
        let lines = (0..<100_000).map { number in
            SmallPicture.message(
                .zero + .microseconds(Int64(number) * 600), .pad(1 + number % 40), .cloud, "request",
                "POST /database/1/container/\(number % 500)/records/modify")
        }
        let picture = SmallPicture.picture(history.map(TraceLine.note) + lines, history: history)
        #expect(picture.messages.count == 100_000 && picture.cut == nil)
        let bytes = ReportPage.html(picture).count
        #expect(bytes < 15 << 20 && bytes > 1 << 20, "\(bytes)")
    }
}
