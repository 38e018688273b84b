/// Sharing has its types, so that code with it compiles and its other half runs; whatever would have to reach another person is refused in words
/// (decision 0020).
enum Sharing {
    static var refusal: CKError {
        CKError(
            .serverRejectedRequest,
            message: "sharing is not modelled: no share is saved, found or accepted here; sync the private database")
    }
}
