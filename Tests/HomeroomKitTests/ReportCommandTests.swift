import FleetModel
import Foundation
import Testing

@Suite("Report and export", .timeLimit(.minutes(20))) struct ReportCommandTests {
    private static let broken = CommandLineRun.package.appending(path: "Fleet/broken-notebook.yaml").path

    @Test(
        "Results: a run that is not valid leaves report.html, a valid one only when it is asked for; a rerun replaces it"
    )
    func results() throws {
        try withFolder { folder in
            func report() -> String? {
                try? String(contentsOf: folder.appending(path: "out/report.html"), encoding: .utf8)
            }
            try CommandLineRun.of(["run", Self.broken, "--mode", "sim", "--quiet", "--out", "out"], in: folder)
            let first = try #require(report())
            #expect(first.contains("data lost here") && first.contains("\"asExpected\":true"))
            #expect(first.contains(#"run \#(Self.broken) --seed 1 --mode sim"#))
            let small = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            try CommandLineRun.of(["run", small, "--mode", "sim", "--quiet", "--out", "out"], in: folder)
            #expect(report() == nil)
            try CommandLineRun.of(["run", small, "--mode", "sim", "--quiet", "--out", "out", "--report"], in: folder)
            #expect(report()?.contains("\"verdict\":\"valid\"") == true)
        }
    }

    @Test("Report of a trace: next to it, or where it is asked for; the same that the run left; a pipe is refused")
    func trace() throws {
        try withFolder { folder in
            try CommandLineRun.of(["run", Self.broken, "--mode", "sim", "--quiet", "--out", "out"], in: folder)
            let left = try String(contentsOf: folder.appending(path: "out/report.html"), encoding: .utf8)
            let run = try CommandLineRun.of(["report", "out", "-o", "page.html"], in: folder)
            #expect(run.status == 0 && run.output == "wrote page.html: open it in a browser\n", "\(run.errors)")
            let drawn = try String(contentsOf: folder.appending(path: "page.html"), encoding: .utf8)
            // The trace has another name there.
            #expect(drawn.replacingOccurrences(of: "\"out/trace.jsonl\"", with: "\"trace.jsonl\"") == left)
            try FileManager.default.removeItem(at: folder.appending(path: "out/report.html"))
            #expect(
                try CommandLineRun.of(["report", "out/trace.jsonl"], in: folder).output.contains("out/report.html"))
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "out/report.html").path))
            let pipe = try CommandLineRun.of(
                ["-c", "mkfifo p && '\(CommandLineRun.products.path)/homeroom' report p"], by: "/bin/bash", in: folder)
            #expect(pipe.status == 3 && pipe.errors.contains("is a pipe"), "\(pipe.errors)")
            #expect(try CommandLineRun.of(["report", "nothing"], in: folder).status == 3)
        }
    }

    @Test(
        "Summary: every run below a folder with a link to its page, and a page for each that lacks one; a damaged one is named"
    )
    func summary() throws {
        try withFolder { folder in
            let small = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            try CommandLineRun.of(
                ["run", small, Self.broken, "--mode", "sim", "--quiet", "--out", "all/in one"], in: folder)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "all/broken"), withIntermediateDirectories: true)
            _ = try folder.appending(path: "all/broken/verdict.json").write("{}")
            let run = try CommandLineRun.of(["report", "all"], in: folder)
            #expect(run.status == 0 && run.output == "wrote all/summary.html: 2 runs\n", "\(run.errors)")
            #expect(run.errors.contains("all/broken/verdict.json: is not a verdict"))
            let page = try String(contentsOf: folder.appending(path: "all/summary.html"), encoding: .utf8)
            #expect(page.contains("\"page\":\"in%20one/small-1/report.html\"") && page.contains("left out: all/broken"))
            #expect(
                FileManager.default.fileExists(atPath: folder.appending(path: "all/in one/small-1/report.html").path))
            try FileManager.default.createDirectory(at: folder.appending(path: "e"), withIntermediateDirectories: true)
            #expect(try CommandLineRun.of(["report", "e"], in: folder).status == 3)
        }
    }

    @Test("Export: each format to standard output or a file")
    func export() throws {
        try withFolder { folder in
            try CommandLineRun.of(["run", Self.broken, "--mode", "sim", "--quiet", "--out", "out"], in: folder)
            let perfetto = try CommandLineRun.of(["export", "--to", "perfetto", "out"], in: folder)
            #expect(try Value(json: Array(perfetto.output.utf8))["traceEvents"]?.array?.isEmpty == false)
            #expect(
                try CommandLineRun.of(["export", "--to", "shiviz", "out"], in: folder).output.hasPrefix("(?<host>"))
            let edn = try CommandLineRun.of(["export", "--to", "edn", "out", "-o", "h.edn"], in: folder)
            let history = try String(contentsOf: folder.appending(path: "h.edn"), encoding: .utf8)
            #expect(
                edn.output.isEmpty
                    && history.hasPrefix("{:index 0, :time 40000000000, :type :invoke, :process 0, :f :write"))
            #expect(try CommandLineRun.of(["export", "--to", "word", "out"], in: folder).status == 3)
        }
    }

    @Test(
        "In a browser: the page draws itself, tells the story with its doomed step, and follows keys; the summary too",
        .enabled(if: Browser.path != nil, Browser.none))
    func browser() throws {
        try withFolder { folder in
            try CommandLineRun.of(["run", Self.broken, "--mode", "sim", "--quiet", "--out", "out/run"], in: folder)
            let page = folder.appending(path: "out/run/report.html")
            let press = """
                for (const key of ["+", "ArrowRight", "n", "n", "m", "d", "0", "j", "/", "?"]) dispatchEvent(new KeyboardEvent("keydown", { key }));
                const pixels = byId("canvas").getContext("2d").getImageData(0, 0, VIEW.width, VIEW.height).data;
                draw(byId("canvas").getContext("2d"));
                document.title = "pressed " + FILTER.messages + " " + byId("help").open + " " + document.documentElement.className;
                """
            let document = try Browser.document(page, script: press, in: folder)
            #expect(document.contains("data-ready=\"3 edits, "), "\(document.suffix(400))")
            #expect(
                document.contains("<li class=\"doom") && document.contains("Replaced by maya.2, which never saw it"))
            #expect(document.contains("<title>pressed all true dark</title>"), "\(document.prefix(300))")

            // Nothing that people wrote becomes an element, and no text of theirs is run.
            let mark =
                "broken-notebook\\u003c/script\\u003e\\u003cimg src=x id=owned onerror=\\u0022document.title='owned'\\u0022\\u003e"
            var text = try String(contentsOf: page, encoding: .utf8)
            text = text.replacingOccurrences(of: "\"note-1\"", with: "\"\(mark)\"")
                .replacingOccurrences(of: "\"scenario\":\"broken-notebook\"", with: "\"scenario\":\"\(mark)\"")
            let hostile = folder.appending(path: "hostile.html")
            _ = try hostile.write(text)
            let opened = try Browser.document(
                hostile, script: "document.body.dataset.owned = document.getElementById('owned') !== null", in: folder)
            #expect(opened.contains("data-owned=\"false\"") && opened.contains("data-ready="))
            #expect(!opened.contains("<title>owned"))

            try CommandLineRun.of(["report", "out", "-o", "out/summary.html"], in: folder)
            let all = try CommandLineRun.of(["report", "out/run", "out/run/trace.jsonl", "-o", "s.html"], in: folder)
            #expect(all.output == "wrote s.html: 1 runs\n")
            let summary = try Browser.document(folder.appending(path: "s.html"), in: folder)
            #expect(summary.contains("data-ready=\"1 runs\"") && summary.contains("href=\"out/run/report.html\""))
        }
    }
}
