import ArgumentParser
import Foundation
import StubProgram
import Testing
import Yams

@testable import HomeroomKit

/// What others copy into their CI: whether it fits its own schema is the affair of Scripts/check-templates; here it is what it says to Homeroom.
@Suite("Templates", .timeLimit(.minutes(20))) struct TemplateTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: CommandLineRun.package.appending(path: path), encoding: .utf8)
    }
    /// What stands in the place of a template's variables.
    private static let given = [
        "SCENARIOS": "a.yaml", "scenarios[@]": "a.yaml", "MODE": "fleet", "SEEDS": "100", "SCENARIO": "a.yaml",
        "PROVE": "a.yaml", "RESULTS": "results", "SLURM_CPUS_PER_TASK": "1",
    ]

    /// The words of each call of the program in a shell script.
    private static func commands(in text: String) -> [[String]] {
        text.split(separator: "\n").compactMap { line in
            guard
                let call = line.firstMatch(
                    of:
                        /(?:"\$\{?(?:PROGRAM|program)(?::-homeroom\})?"|program\/homeroom) ((?:run|prove|explore|merge) [^;']*)/
                )
            else { return nil }
            return call.1.split(separator: " ").map { word in
                String(word).replacing("\"", with: "").replacing(
                    /\$\{?([A-Z_a-z]+(?:\[@\])?)(?::[-?][^}]*)?\}?/
                ) {
                    given[String($0.1)] ?? "unknown-variable-\($0.1)"
                }
            }
        }
    }

    @Test(
        "Every command is one of homeroom's, with options that it has",
        arguments: [
            (".github/actions/homeroom/action.yml", 2), ("Deploy/gitlab.yml", 4), ("Deploy/explore.slurm", 1),
            (".github/workflows/search.yml", 2),
        ])
    func commands(file: String, count: Int) throws {
        let commands = Self.commands(in: try Self.text(file))
        #expect(commands.count == count, "\(commands)")
        for command in commands {
            #expect(throws: Never.self, "\(command)") { try Root.parseAsRoot(command) }
            #expect(!command.contains { $0.contains("unknown-variable") }, "\(command)")
        }
    }

    /// The documents of a file of Kubernetes or Compose.
    private static func documents(_ path: String) throws -> [[String: Any]] {
        try Array(Yams.load_all(yaml: text(path))).compactMap { $0 as? [String: Any] }
    }
    /// What is found by going from key to key; a number is a place in a list.
    private static func at(_ keys: [String], _ start: Any?) -> Any? {
        keys.reduce(start) { value, key in
            Int(key).flatMap { place in (value as? [Any]).flatMap { $0.indices.contains(place) ? $0[place] : nil } }
                ?? (value as? [String: Any])?[key]
        }
    }

    @Test("Kubernetes: a job's parts are one number in three places, and every command is one of homeroom's")
    func kubernetes() throws {
        let job = try #require(try Self.documents("Deploy/kubernetes/explore.yaml").last)
        let container = Self.at(["spec", "template", "spec", "containers", "0"], job)
        let count = try #require(Self.at(["spec", "completions"], job) as? Int)
        #expect(Self.at(["spec", "parallelism"], job) as? Int == count)
        #expect(Self.at(["spec", "completionMode"], job) as? String == "Indexed")
        #expect(Self.at(["env", "0", "name"], container) as? String == "HOMEROOM_SHARD_COUNT")
        #expect(Self.at(["env", "0", "value"], container) as? String == "\(count)")
        let merge = try #require(try Self.documents("Deploy/kubernetes/merge.yaml").last)
        for job in [job, merge] {
            let words = try #require(
                Self.at(["spec", "template", "spec", "containers", "0", "args"], job) as? [String])
            #expect(throws: Never.self, "\(words)") { try Root.parseAsRoot(words) }
        }
    }

    @Test("Kubernetes: the monitor and the set find the Cloud's service by its label and its port's name")
    func cloud() throws {
        let documents = try Self.documents("Deploy/kubernetes/cloud.yaml")
        let (service, set) = (try #require(documents.first), try #require(documents.last))
        let monitor = try #require(try Self.documents("Deploy/kubernetes/monitor.yaml").first)
        let label = try #require(Self.at(["metadata", "labels"], service) as? [String: String])
        #expect(Self.at(["spec", "selector", "matchLabels"], monitor) as? [String: String] == label)
        #expect(Self.at(["spec", "selector"], service) as? [String: String] == label)
        #expect(Self.at(["spec", "template", "metadata", "labels"], set) as? [String: String] == label)
        let port = try #require(Self.at(["spec", "ports", "0", "name"], service) as? String)
        #expect(Self.at(["spec", "endpoints", "0", "port"], monitor) as? String == port)
        #expect(Self.at(["spec", "serviceName"], set) as? String == Self.at(["metadata", "name"], service) as? String)
        let container = Self.at(["spec", "template", "spec", "containers", "0"], set)
        for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
            #expect(Self.at([probe, "httpGet", "path"], container) as? String == "/health")
        }
        #expect(Self.at(["resources", "requests", "memory"], container) != nil)
    }

    @Test("Compose: each part of the search has its number, all are there, and their commands are homeroom's")
    func compose() throws {
        let file = try #require(try Self.documents("Deploy/explore.yml").first)
        let services = try #require(file["services"] as? [String: [String: Any]])
        let parts = services.values.compactMap { Self.at(["environment", "HOMEROOM_SHARD"], $0) as? String }.sorted()
        #expect(parts == (1...parts.count).map { "\($0)/\(parts.count)" } && parts.count == services.count - 1)
        for service in services.values {
            let words = try #require(service["command"] as? [String]).map {
                $0.replacing(/\$\{[A-Z]+:-([^}]*)\}/) { String($0.output.1) }
            }
            #expect(throws: Never.self, "\(words)") { try Root.parseAsRoot(words) }
        }
    }

    @Test("Images: their commands are homeroom's, and what they copy of this package is there")
    func images() throws {
        for file in ["Deploy/Dockerfile", "Deploy/program.Dockerfile"] {
            let text = try Self.text(file)
            let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("CMD ") })
            let words = try #require(try Yams.load(yaml: String(line.dropFirst(4))) as? [String])
            #expect(throws: Never.self, "\(words)") { try Root.parseAsRoot(words) }
            for copied in text.matches(of: /COPY homeroom\/(\S+)/) {
                let path = CommandLineRun.package.appending(path: String(copied.1)).path
                #expect(FileManager.default.fileExists(atPath: path), "\(file): \(copied.1)")
            }
        }
    }

    @Test("Images: they have every folder that the manifest needs", arguments: ["Dockerfile", "Deploy/Dockerfile"])
    func folders(file: String) throws {
        let text = try Self.text(file)
        for folder in ["Package.swift", "Sources", "Plugins"] {
            #expect(text.contains(try Regex("COPY (homeroom/)?\(folder) ")), "\(file) lacks \(folder)")
        }
    }

    @Test("One version of Swift in all of them")
    func swift() throws {
        let wanted = "swift:6.3"
        #expect(try Self.text("Dockerfile").contains("FROM \(wanted) AS build"))
        let container = try #require(
            try Yams.load(yaml: Self.text(".devcontainer/devcontainer.json")) as? [String: Any])
        #expect(container["image"] as? String == wanted)
        let gitlab = try #require(try Yams.load(yaml: Self.text("Deploy/gitlab.yml")) as? [String: [String: Any]])
        #expect(gitlab[".homeroom"]?["image"] as? String == wanted)
        let workflow = try #require(try Yams.load(yaml: Self.text(".github/workflows/homeroom.yml")) as? [String: Any])
        let jobs = try #require(workflow["jobs"] as? [String: [String: Any]])
        #expect(jobs["scenarios"]?["container"] as? String == wanted)
        #expect(try Self.text("Deploy/Dockerfile").contains("FROM \(wanted) AS build"))
    }

    @Test("The workflow: its scenarios are there, and its inputs are the action's")
    func workflow() throws {
        let action = try #require(
            try Yams.load(yaml: Self.text(".github/actions/homeroom/action.yml")) as? [String: Any])
        let inputs = try #require(action["inputs"] as? [String: Any])
        let workflow = try #require(try Yams.load(yaml: Self.text(".github/workflows/homeroom.yml")) as? [String: Any])
        let jobs = try #require(workflow["jobs"] as? [String: [String: Any]])
        let steps = try #require(jobs["scenarios"]?["steps"] as? [[String: Any]])
        let with = try #require(steps.compactMap { $0["with"] as? [String: String] }.first)
        for name in with.keys { #expect(inputs[name] != nil, "\(name)") }
        let paths = (with["scenarios"] ?? "").split(separator: "\n").map { String($0) } + [with["prove"] ?? ""]
        #expect(paths.count == 4)
        for path in paths {
            #expect(
                FileManager.default.fileExists(atPath: CommandLineRun.package.appending(path: path).path),
                "\(path)")
        }
    }

    @Test("Scripts/check-templates: names what does not fit, and says when it cannot look")
    func script() throws {
        try withFolder { folder in
            let path = CommandLineRun.package.appending(path: "Scripts/check-templates").path
            func run(_ checker: String) throws -> CommandLineRun {
                try CommandLineRun.of(
                    ["-c", "KUBERNETES_VALIDATE='\(checker)' CHECK_JSONSCHEMA='\(checker)' '\(path)'"],
                    by: "/bin/bash", in: folder)
            }
            let missing = try run("no-such-checker")
            #expect(missing.status == 0 && missing.output.contains("not on this machine: check-jsonschema"))
            let good = try run(try folder.appending(path: "good").stub("echo \"$*\""))
            #expect(good.status == 0 && good.output.contains("all fit"), "\(good.output)\(good.errors)")
            for file in [
                "action.yml", ".github/workflows/homeroom.yml", ".github/workflows/search.yml", "Deploy/gitlab.yml",
                "docker-compose.yml", "Deploy/explore.yml", "Deploy/kubernetes/explore.yaml",
            ] {
                #expect(good.output.contains(file), "\(good.output)")
            }
            let bad = try run(try folder.appending(path: "bad").stub("case \"$*\" in *gitlab*) exit 1;; esac"))
            #expect(bad.status == 1 && !bad.output.contains("all fit"), "\(bad.output)")
            let pods = try run(
                try folder.appending(path: "pods").stub("case \"$*\" in *kubernetes/cloud*) exit 1;; esac"))
            #expect(pods.status == 1 && !pods.output.contains("all fit"), "\(pods.output)")
        }
    }
}
