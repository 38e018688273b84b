import FleetModel

/// Which zones an app has been given a change token for: to fetch them from the beginning again is waste (S18).
struct FetchWatch {
    struct Place: Hashable {
        var person: Person
        var app: AppName
        var zone: String
    }
    struct Question: Hashable {
        var launch: Int
        var exchange: UInt64
    }
    private var known: Set<Place> = []
    private var open: [Question: Place] = [:]

    /// - Returns: whether the app has a token and does not use it.
    mutating func asked(_ place: Place, _ question: Question, _ token: Value?) -> Bool {
        open[question] = place
        return token?.string == nil && known.contains(place)
    }
    /// After an error, an expired token among them, an app may begin again.
    mutating func answered(_ question: Question, hasToken: Bool) {
        guard let place = open.removeValue(forKey: question) else { return }
        if hasToken { known.insert(place) } else { known.remove(place) }
    }
    /// The local data of an app, or of all apps of a person, are gone, and the tokens with them.
    mutating func forget(_ person: Person, _ app: AppName?) {
        known = known.filter { $0.person != person || app != nil && $0.app != app }
    }
}
