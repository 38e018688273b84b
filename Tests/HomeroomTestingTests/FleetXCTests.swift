import HomeroomTesting
import XCTest

/// The same in XCTest.
final class FleetXCTests: XCTestCase {
    func testWriteApart() async throws {
        await withFleet(app: notes(), seeds: 2, in: self) { fleet in
            try await writeApart(fleet)
            let (first, second) = (try await fleet.shown(on: 1), try await fleet.shown(on: 2))
            XCTAssertEqual(first, second)
        }
    }
}
