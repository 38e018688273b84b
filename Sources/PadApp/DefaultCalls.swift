/// How often the iPad called methods that an app has not written, so that their defaults ran, which do nothing.
///
/// A method whose name or types miss a requirement by a little compiles, and nobody calls it. Whether that happened only the default knows. It
/// counts in memory that the processes of apps share with the one that runs the fleet: no trace and no app sees the counts.
package enum DefaultCalls {
    /// Methods of `PadAppDelegate` that have a default; a test compares them with the protocol.
    package static let ofApps = [
        "application(willFinishLaunching:)", "application(didFinishLaunching:)", "applicationDidBecomeActive()",
        "applicationWillResignActive()", "applicationDidEnterBackground()", "applicationWillEnterForeground()",
        "applicationWillTerminate()", "applicationDidReceiveMemoryWarning()",
        "application(didReceiveRemoteNotification:)", "application(handleEventsForBackgroundURLSession:)",
        "applicationPerformsFetch()", "application(open:)", "application(wokenFor:)",
        "application(didReceiveLocalNotification:)", "application(userDidAcceptCloudKitShareAt:)",
    ]
    /// Methods of `UIApplicationDelegate` that have a default, by Apple's names.
    package static let ofDelegates = [
        "application(_:willFinishLaunchingWithOptions:)", "application(_:didFinishLaunchingWithOptions:)",
        "applicationDidBecomeActive(_:)", "applicationWillResignActive(_:)", "applicationDidEnterBackground(_:)",
        "applicationWillEnterForeground(_:)", "applicationWillTerminate(_:)",
        "applicationDidReceiveMemoryWarning(_:)",
        "application(_:didReceiveRemoteNotification:fetchCompletionHandler:)",
        "application(_:performFetchWithCompletionHandler:)",
        "application(_:handleEventsForBackgroundURLSession:completionHandler:)", "application(_:open:options:)",
        "application(_:userDidAcceptCloudKitShareWith:)",
    ]
    private static let names = ofApps + ofDelegates
    private static let indices = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })

    /// Where the counts are. Written once before apps run, and only read since.
    private struct Board {
        var rows: [ObjectIdentifier: Int]
        var pads: Int
        var counts: UnsafeMutablePointer<UInt64>
    }
    nonisolated(unsafe) private static var board: Board?

    /// How many counts there are for so many types on so many iPads.
    package static func size(types: Int, pads: Int) -> Int { types * names.count * (pads + 1) }

    /// Counts for these types from here on, in this process and those that it forks.
    /// - Parameter counts: `size` zeros that all of them share.
    package static func begin(_ types: [Any.Type], pads: Int, in counts: UnsafeMutablePointer<UInt64>) {
        let rows = Dictionary(
            types.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
        board = Board(rows: rows, pads: pads, counts: counts)
    }

    /// The default of a method ran for an app or a delegate. Each iPad has counts of its own, and one process of each app: none is lost.
    package static func note(_ name: String, of object: AnyObject) {
        guard let board, let row = board.rows[ObjectIdentifier(type(of: object))], let index = indices[name] else {
            return
        }
        let pad = min(AppLink.ifRunning?.pad.pad ?? 0, board.pads)
        board.counts[(row * names.count + index) * (board.pads + 1) + pad] += 1
    }
    package static func count(_ name: String, of type: Any.Type) -> Int {
        guard let board, let row = board.rows[ObjectIdentifier(type)], let index = indices[name] else { return 0 }
        let first = (row * names.count + index) * (board.pads + 1)
        return (first...first + board.pads).reduce(0) { $0 + Int(clamping: board.counts[$1]) }
    }
}
