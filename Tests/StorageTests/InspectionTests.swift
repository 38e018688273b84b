import FleetModel
import Testing

@testable import Storage

@Suite("Looking at a disk", .timeLimit(.minutes(20))) struct InspectionTests {
    private func disk() throws -> (Disk, Database) {
        let disk = Disk.memory()
        try disk.makeFolder("/notes")
        try disk.write("/notes/a.txt", Array("river".utf8), sync: true)
        try disk.write("/notes/b.bin", [0, 255, 1], sync: false)
        let database = try Database(disk: disk, path: "/notes/db")
        try database.script("CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT)")
        for number in 1...5 { try database.execute("INSERT INTO note(text) VALUES(?)", .text("n\(number)")) }
        return (disk, database)
    }

    @Test("Files: bytes, what is durable, which are databases; text as text, the rest as bytes, cut where it is said")
    func files() throws {
        let (disk, _) = try disk()
        let files = try #require(disk.inspect(Message("files"))?.array)
        let paths = files.compactMap { $0["path"]?.string }
        #expect(paths.contains("/notes/a.txt") && paths.contains("/notes/db"))
        let loose = files.filter { $0["durable"]?.bool == false }.compactMap { $0["path"]?.string }
        #expect(loose.contains("/notes/b.bin"))
        #expect(files.filter { $0["database"]?.bool == true }.compactMap { $0["path"]?.string } == ["/notes/db"])
        let text = disk.inspect(Message("file", ["path": "/notes/a.txt", "most": 3]))
        #expect(text?["text"]?.string == "riv" && text?["cutAt"]?.int == 3 && text?["bytes"]?.int == 5)
        #expect(disk.inspect(Message("file", ["path": "/notes/b.bin"]))?["data"]?.data == [0, 255, 1])
        #expect(disk.inspect(Message("file", ["path": "/none"]))?["error"]?.string?.contains("/none") == true)
        #expect(disk.inspect(Message("weather")) == nil)
    }

    @Test("SQL: on a copy with what the log holds; whatever a statement does, disk and database stay as they were")
    func sql() throws {
        let (disk, database) = try disk()
        let (writes, bytes) = (disk.writeCount, disk.usedBytes)
        let rows = disk.inspect(Message("sql", ["path": "/notes/db", "sql": "SELECT id, text FROM note", "most": 2]))
        #expect(
            rows?["columns"] == ["id", "text"] && rows?["rows"] == [[1, "n1"], [2, "n2"]] && rows?["more"]?.int == 3)
        #expect(disk.inspect(Message("tables", ["path": "/notes/db"])) == [["table": "note", "rows": 5]])
        for sql in ["DELETE FROM note", "DROP TABLE note", "INSERT INTO note(text) VALUES('x')"] {
            #expect(disk.inspect(Message("sql", ["path": "/notes/db", "sql": .string(sql)]))?["error"] == nil)
        }
        #expect(disk.inspect(Message("sql", ["path": "/notes/db", "sql": "SELEC"]))?["error"] != nil)
        #expect(disk.writeCount == writes && disk.usedBytes == bytes)
        #expect(try database.query("SELECT COUNT(*) FROM note").first?.int(0) == 5)
    }
}
