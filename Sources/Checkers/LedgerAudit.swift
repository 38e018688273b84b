import FleetModel

/// Looks whether a ledger agrees with itself. What does not is a doubt: no verdict stands on a ledger that contradicts itself.
struct LedgerAudit: InvariantHolder {
    let ledger: Ledger

    /// Linear in edits and in what they saw.
    func checkInvariants() throws(BrokenInvariant) {
        let entries = ledger.entries
        try invariant(
            ledger.lookup.ids.count == entries.count,
            "\(entries.count) edits are known by \(ledger.lookup.ids.count) tokens")
        for (id, entry) in entries.enumerated() {
            let token = entry.edit.token
            try invariant(ledger.lookup.ids[token] == id, "\(token) is not found by its token")
            try invariant(
                ledger.accounts.indices.contains(entry.account) && ledger.items.indices.contains(entry.item),
                "\(token) belongs to an account or an item that nobody knows")
            try invariant(
                entry.saw.allSatisfy { entries.indices.contains($0) && $0 != id },
                "\(token) saw itself, or what is no edit")
            try invariant(
                entry.visibleIn.allSatisfy(ledger.readings.indices.contains),
                "\(token) is visible where nobody has read")
        }
        try invariant(
            ledger.failing == entries.indices.filter { entries[$0].ending != .fine },
            "the edits that came to harm are not those whose ending is not fine")
        try invariant(
            ledger.happened.allSatisfy { entries.indices.contains($0) && entries[$0].order != nil },
            "an edit counts as happened that nothing shows")
    }
}
