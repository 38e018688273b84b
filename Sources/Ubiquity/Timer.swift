// Apple's names:
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// A timer of a run loop, in virtual time: shadows Foundation's, which waits on a run loop of the process that nobody runs here.
///
/// As Apple's it fires on the thread of its run loop, and only while that runs: the main one always does, that of a background thread
/// only inside `RunLoop.run(until:)`. The run loop keeps a timer until it is invalidated. Not modelled: selectors, coalescing by
/// `tolerance`.
open class Timer: @unchecked Sendable {
    /// False once it was invalidated, as a timer that does not repeat is by firing.
    public private(set) var isValid = true
    /// When it fires next. A new date counts from the next scheduling on.
    public var fireDate: Date { didSet { loop?.changed(self) } }
    /// Seconds between two firings; 0: it fires once.
    public let timeInterval: TimeInterval
    /// Kept, not used: a timer is never late here.
    public var tolerance: TimeInterval = 0
    /// Always nil: only Apple's form with a selector takes one.
    public let userInfo: Any? = nil
    private let block: @Sendable (Timer) -> Void
    /// The run loop that it was added to.
    var loop: RunLoop?
    /// What wakes the main run loop for it.
    var alarm: (any DispatchSourceTimer)?

    /// Makes a timer that no run loop knows yet: `RunLoop.add(_:forMode:)`.
    /// - Parameter interval: seconds; less than 0.0001 counts as that (Apple, "Timer"), and is not used unless it repeats.
    public init(
        fire date: Date, interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void
    ) {
        fireDate = date
        timeInterval = repeats ? max(interval, 0.0001) : 0
        self.block = block
    }
    /// Makes a timer for the time after the interval (seconds); no run loop knows it yet.
    public convenience init(timeInterval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void) {
        self.init(
            fire: Date(timeIntervalSinceNow: timeInterval), interval: timeInterval, repeats: repeats, block: block)
    }
    /// Makes a timer and adds it to the current run loop: from a background queue it never fires, as on an iPad.
    @discardableResult public static func scheduledTimer(
        withTimeInterval interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void
    ) -> Timer {
        let timer = Timer(timeInterval: interval, repeats: repeats, block: block)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }

    /// Runs its block now. A timer that does not repeat ends by it.
    open func fire() {
        guard isValid else { return }
        if timeInterval == 0 { invalidate() }
        block(self)
    }
    /// Ends it for good; its run loop lets go of it.
    open func invalidate() {
        isValid = false
        alarm?.cancel()
        alarm = nil
        loop?.remove(self)
        loop = nil
    }
    /// Its time has come.
    func due() {
        guard isValid else { return }
        if timeInterval > 0 {
            // Firings that were missed are left out.
            let missed = max(0, (Date().timeIntervalSince(fireDate) / timeInterval).rounded(.down))
            fireDate += timeInterval * (missed + 1)
        }
        fire()
    }
}
