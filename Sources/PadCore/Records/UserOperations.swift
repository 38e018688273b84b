import FleetModel

/// What an app may ask about people: the name of its own, and others who have opted in (cloudkit-framework.md 12).
///
/// Not modelled: the dialog. Whether a person may be found is decided beforehand (`cloud.account`, `discoverable`), as a school does it.
extension SingleCall {
    /// `ck.userRecordID`: random for each person and container (cloudkit-framework.md 12).
    static func userRecordID() -> SingleCall {
        SingleCall(call: ofUsers("caller")) { answer in
            let identity = WebPage(lenient: answer).users?.first ?? answer
            guard let name = WebPage(lenient: identity).userRecordName else {
                return .failure(.unexpected("the caller has no record name"))
            }
            return .success(RecordMessages.UserRecordID.Answer(name).body)
        }
    }

    /// `ck.permission`: whether the person may be found by others: 2 denied, 3 granted (cloudkit-framework.md 12). The service tells
    /// callers their own name only when they may.
    static func permission() -> SingleCall {
        SingleCall(call: ofUsers("current")) { answer in
            guard WebPage(lenient: answer).userRecordName != nil else {
                return .failure(.unexpected("the caller has no record name"))
            }
            return .success(["status": WebPage(lenient: answer).firstName == nil ? 2 : 3])
        }
    }
    /// `ck.discover`: identities of the people that are asked for, or of all in the address book, as far as they opted in
    /// (cloudkit-web-services.md 7.2). The app sees neither the address book nor whoever is not found (S283).
    static func discover(_ message: RecordMessage) throws(RecordFault) -> SingleCall {
        var call = ofUsers("discover")
        if message.body["lookupInfos"] != nil {
            call.method = "POST"
            call.body = ["lookupInfos": .array(try message.list("lookupInfos"))]
        }
        return SingleCall(call: call) { answer in
            guard let users = WebPage(lenient: answer).users else {
                return .failure(.unexpected("no list of people came"))
            }
            return .success(["users": .array(users)])
        }
    }
    private static func ofUsers(_ verb: String) -> WebCall {
        var call = WebCall("users/\(verb)", .empty)
        call.method = "GET"
        call.isPublicOnly = true
        return call
    }
}
