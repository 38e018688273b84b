import Foundation

extension URL {
    /// Makes a program here that does what a script of bash says.
    ///
    /// What is executed is a checked-in file that nobody ever writes: a program that a test has just written cannot be executed ("Text file
    /// busy") as long as a process that another test forked meanwhile has it open for writing.
    /// - Returns: the path of the program.
    public func stub(_ script: String) throws -> String {
        try script.write(toFile: path + ".sh", atomically: true, encoding: .utf8)
        let executed = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "stub")
        try FileManager.default.createSymbolicLink(at: self, withDestinationURL: executed)
        return path
    }
}
