import Foundation
import PadApp

extension Value {
    /// The error of an answer of the Pad as Foundation gives it to apps: `CocoaError`, `URLError` or `NSError`; nil when there is none.
    var linkError: (any Error)? {
        guard let error = self["error"] else { return nil }
        let code = Int(clamping: error["code"]?.int ?? 0)
        var details: [String: Any] = [NSLocalizedDescriptionKey: error["message"]?.string ?? "the iPad refused"]
        if let reason = error["reason"]?.int { details[NSURLErrorBackgroundTaskCancelledReasonKey] = Int(reason) }
        if let data = error["resumeData"]?.data { details[NSURLSessionDownloadTaskResumeData] = Data(data) }
        switch error["domain"]?.string {
        case "NSCocoaErrorDomain": return CocoaError(CocoaError.Code(rawValue: code), userInfo: details)
        case "NSURLErrorDomain": return URLError(URLError.Code(rawValue: code) ?? .unknown, userInfo: details)
        case "POSIX": return NSError(domain: NSPOSIXErrorDomain, code: code, userInfo: details)
        case let domain: return NSError(domain: domain ?? NSCocoaErrorDomain, code: code, userInfo: details)
        }
    }
    /// The answer itself, or its error thrown.
    func orThrow() throws -> Value {
        if let error = linkError { throw error }
        return self
    }
}

// Apple's name:
// swift-format-ignore: AlwaysUseLowerCamelCase
/// In the error of a download: what `downloadTask(withResumeData:)` goes on with (app-lifecycle.md 7).
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
