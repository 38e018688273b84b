/// Which documents of a library lack something: ids in ascending order.
///
/// Invariant: an id stands in a list exactly when its item, as last taken, lacks what the list is about.
struct DocumentNeeds: Hashable {
    /// The data that an app asked for, or the newest ones of those that are here.
    private(set) var data: [String] = []
    /// The data, whether or not an app asked; or the newest ones.
    private(set) var dataOfAny: [String] = []
    /// The data of a conflict version.
    private(set) var versions: [String] = []

    mutating func take(_ item: DocumentItem) {
        Self.put(item.id, item.isLocal ? !item.isCurrent : item.wantsData, in: &data)
        Self.put(item.id, !item.isLocal || !item.isCurrent, in: &dataOfAny)
        Self.put(item.id, item.conflicts.contains { !$0.hasData }, in: &versions)
    }
    mutating func forget(_ id: String) {
        Self.put(id, false, in: &data)
        Self.put(id, false, in: &dataOfAny)
        Self.put(id, false, in: &versions)
    }

    private static func put(_ id: String, _ isLacking: Bool, in ids: inout [String]) {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        let isThere = low < ids.count && ids[low] == id
        if isLacking, !isThere { ids.insert(id, at: low) }
        if !isLacking, isThere { ids.remove(at: low) }
    }
}
