import FleetModel
import Testing

@Suite("Shard", .timeLimit(.minutes(20))) struct ShardTests {
    @Test("I/N: read, and written as it was (parameters: texts)", arguments: ["1/1", "1/3", "3/3", "1000/1000"])
    func text(_ text: String) throws { #expect(try #require(Shard(text)).description == text) }

    @Test(
        "What is no part of anything is refused (parameters: texts)",
        arguments: [
            "", "1", "0/2", "3/2", "-1/2", "1/0", "1/1001", "1/2/3", "a/2", "1/", " 1/2", "99999999999999999999/2",
        ])
    func refused(_ text: String) { #expect(Shard(text) == nil) }

    @Test("Each iPad belongs to exactly one part (1 to 7 parts)", arguments: 1...7)
    func partition(count: Int) {
        let shards = (1...count).compactMap { Shard("\($0)/\(count)") }
        for pad in 1...50 { #expect(shards.count { $0.holds(pad) } == 1) }
        #expect(shards.count(where: \.leads) == 1)
    }
}
