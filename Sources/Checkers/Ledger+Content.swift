import FleetModel

/// Whether what an item shows is what people put into it.
extension Ledger {
    /// An app says what stands around the payloads of an item, when that is short. The payloads themselves are known: so is the digest.
    mutating func takeContent(_ item: Item, at index: Int) {
        guard let around = item.around, item.damaged.isEmpty, !item.tokens.isEmpty else { return }
        let made = item.tokens.compactMap { lookup.ids[$0] }
        guard around.count == item.tokens.count + 1, made.count == item.tokens.count else { return }
        let payloads = made.map { entries[$0].edit.value }
        guard zip(item.tokens, payloads).allSatisfy({ EditPayload.isOne($1, of: $0) }) else { return }
        guard item.digest != Item.digest(payloads, around: around) else { return }
        for id in made where entries[id].damagedIn == nil { entries[id].damagedIn = index }
    }
}
