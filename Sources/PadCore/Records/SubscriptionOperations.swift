import FleetModel

/// `ck.subscribe`: one subscription, made or brought up to date.
struct SubscribeOperation: RecordOperation {
    private let subscription: Value
    private var isUpdate = false

    init(_ message: RecordMessage) throws(RecordFault) {
        guard let subscription = message.body["subscription"], let id = subscription["subscriptionID"]?.string,
            !id.isEmpty
        else {
            // The service would invent an id, and a retry after a lost answer a second subscription.
            throw .malformed("ck.subscribe: 'subscription' must be a dictionary with a 'subscriptionID'")
        }
        self.subscription = subscription
    }

    mutating func start() -> OperationStep {
        let operation: Value = ["operationType": isUpdate ? "update" : "create", "subscription": subscription]
        return .send(WebCall("subscriptions/modify", ["operations": [operation]], about: .subscription))
    }
    mutating func receive(_ answer: WebAnswer, retried: Bool) -> OperationStep {
        let failure: CloudKitFailure?
        switch answer {
        case .failure(let whole): failure = whole
        case .success(let body):
            let entry = WebPage(lenient: body).subscriptions?.first ?? .empty
            failure = CloudKitFailure(service: entry, about: .subscription)
        }
        guard let failure else { return .finish(OperationResult(.empty)) }
        // An id that exists: saving a subscription again is no error for an app that does so at each launch.
        if failure.serverCode == "EXISTS", !isUpdate {
            isUpdate = true
            return start()
        }
        return .finish(OperationResult(failure.answer))
    }
}

extension SingleCall {
    /// `ck.unsubscribe`: deletes one; one that is gone is what the app wants.
    static func unsubscribe(_ message: RecordMessage) throws(RecordFault) -> SingleCall {
        let operation: Value = [
            "operationType": "delete", "subscription": ["subscriptionID": .string(try message.text("subscriptionID"))],
        ]
        let call = WebCall("subscriptions/modify", ["operations": [operation]], about: .subscription)
        return SingleCall(call: call) { answer in
            let entry = WebPage(lenient: answer).subscriptions?.first ?? .empty
            let failure = CloudKitFailure(service: entry, about: .subscription)
            return failure.map { $0.serverCode == "NOT_FOUND" ? .success(.empty) : .failure($0) } ?? .success(.empty)
        }
    }
    /// `ck.subscriptions`: those of the names, or all that the person has in the database.
    static func subscriptions(_ message: RecordMessage) throws(RecordFault) -> SingleCall {
        let names = try message.texts("names")
        var call = WebCall("subscriptions/list", .empty, about: .subscription)
        if names.isEmpty {
            call.method = "GET"
        } else {
            let wanted = names.map { name -> Value in ["subscriptionID": .string(name)] }
            call = WebCall("subscriptions/lookup", ["subscriptions": .array(wanted)], about: .subscription)
        }
        return SingleCall(call: call) { answer in
            var (found, errors) = ([Value](), Value.Object())
            for entry in WebPage(lenient: answer).subscriptions ?? [] {
                guard let failure = CloudKitFailure(service: entry, about: .subscription) else {
                    found.append(entry)
                    continue
                }
                if let name = WebEntry(lenient: entry).subscriptionID { errors[name] = failure.value }
            }
            return .success(["subscriptions": .array(found), "errors": .object(errors)])
        }
    }
}
