import FleetModel

/// What an app may ask about shares by their links: what a link leads to, and to take part (cloudkit-framework.md 16).
///
/// A share is made, changed, left and ended as any record, by `ck.modify`.
extension SingleCall {
    /// GUIDs of one request (cloudkit-web-services.md 10).
    private static let guidsMax = 200

    /// `ck.shareMetadata` and `ck.acceptShares`: both answer with what the links lead to. To accept a share twice is no error.
    static func shares(_ message: RecordMessage, accepting: Bool) throws(RecordFault) -> SingleCall {
        let guids = try message.texts("guids")
        guard !guids.isEmpty else { throw .malformed("\(message.name): 'guids' must name a share") }
        guard guids.count <= guidsMax else {
            throw .refused(CloudKitFailure(code: 27, "\(guids.count) links are more than \(guidsMax); split the list"))
        }
        let wantsRoot = try message.flag("root")
        let asked = RecordMessages.ShareMetadata(lenient: message.body)
        let wanted = guids.map { guid in
            WebShareWish {
                $0.value = guid
                $0.shouldFetchRootRecord = wantsRoot ? true : nil
                $0.rootRecordDesiredKeys = asked.rootKeys
            }.body
        }
        var call = WebCall(
            accepting ? "records/accept" : "records/resolve", ["shortGUIDs": .array(wanted)], about: .share)
        call.isPublicOnly = true
        return SingleCall(call: call) { answer in
            guard let results = WebPage(lenient: answer).results else {
                return .failure(.unexpected("no list of shares came"))
            }
            var (found, errors) = ([Value](), Value.Object())
            for result in results {
                guard let guid = WebShareResult(lenient: result).shortGUID?.value else { continue }
                if let failure = CloudKitFailure(service: result, about: .share) {
                    errors[guid] = failure.value
                } else {
                    found.append(result)
                }
            }
            return .success(RecordMessages.ShareMetadata.Answer { ($0.shares, $0.errors) = (found, errors) }.body)
        }
    }
}
