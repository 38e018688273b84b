import FleetModel
import Foundation
import Glibc
import Live
import Run

/// `server.json`, by which `homeroom-cloud` announces itself in its data folder.
enum CloudFile {
    /// Real time in which a Cloud that is started beside the run announces itself.
    private static let patienceSeconds = 60

    /// Waits for the announcement.
    /// - Parameter way: where iPads find the Cloud, when that is another way.
    /// - Throws: `RunEnd.input` when it cannot be read, is none, or does not come.
    static func read(_ file: String, way: String?) throws -> CloudAddress {
        for _ in 0..<patienceSeconds {
            if access(file, R_OK) == 0 { return try address(in: file, way) }
            guard errno == ENOENT else {
                throw RunEnd.input(
                    "cannot read \(file): \(Folders.reason); run as who started homeroom-cloud")
            }
            guard !Interruption.isAsked else { throw RunEnd.interrupted }
            sleep(1)
        }
        throw RunEnd.input(
            "no homeroom-cloud announced itself in \(file) within a minute; start it with --data on that folder")
    }

    private static func address(in file: String, _ way: String?) throws -> CloudAddress {
        guard var address = (try? Value(json: try Folders.read(file))).flatMap(CloudAddress.init(announced:)) else {
            throw RunEnd.input(
                "\(file) names no origin and token: give the server.json of a data folder that homeroom-cloud serves")
        }
        address.way = way
        // The path is the server's; a folder that is shared may be somewhere else here.
        address.certificate = address.certificate.map { certificate in
            let beside = URL(filePath: file).deletingLastPathComponent()
                .appending(path: URL(filePath: certificate).lastPathComponent).path
            return Folders.exists(beside) ? beside : certificate
        }
        return address
    }
}
