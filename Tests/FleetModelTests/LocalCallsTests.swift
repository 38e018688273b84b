import FleetModel
import Testing

@Suite("Calls of the local link", .timeLimit(.minutes(20))) struct LocalCallsTests {
    @Test("Names: each once, in order; those that change what survives are among them")
    func names() {
        #expect(LocalCalls.names == LocalCalls.names.sorted() && Set(LocalCalls.names).count == LocalCalls.names.count)
        #expect(Set(LocalCalls.durable).isSubset(of: LocalCalls.names))
        // A swarm draws by position: another order would be other faults of the same seed.
        #expect(
            LocalCalls.durable == [
                "ck.modify", "docs.beginWrite", "docs.endWrite", "docs.resolve", "file.append", "file.move",
                "file.remove", "file.sync", "file.write", "keychain.add", "keychain.update", "kvs.set",
                "kvs.synchronize", "transfer.upload",
            ])
    }
}
