// Apple's names:
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import PadApp

/// A run loop, as far as timers and `perform` need one: shadows Foundation's, which belongs to the process.
///
/// The main one runs whenever the main thread is free. One of a background thread runs inside `run(until:)` and `run(mode:before:)`.
/// ASSUMED: a background one lives as long as one item of a queue, or one piece of a task between two awaits. Which items share a thread
/// is the system's choice on an iPad; here none do, so a timer that an item leaves behind never fires.
/// Not modelled: ports, observers, and modes: all are one.
public final class RunLoop: @unchecked Sendable {
    /// Foundation's own. All modes are one here.
    public typealias Mode = Foundation.RunLoop.Mode

    /// The run loop of the app's main thread.
    public static var main: RunLoop { AppLink.current.singleton { RunLoop(isMain: true) } }
    /// The one of the thread that asks.
    public static var current: RunLoop {
        if Thread.isMainThread { return main }
        // Threads are pooled: what another item or another app left there is not this one's.
        let key = "homeroom.RunLoop"
        let kept = Thread.current.threadDictionary[key] as? RunLoop
        if let kept, kept.link === AppLink.current, kept.unit == AppLink.current.currentUnit { return kept }
        let made = RunLoop(isMain: false)
        Thread.current.threadDictionary[key] = made
        return made
    }

    private let isMain: Bool
    private weak var link: AppLink?
    /// The item that a background one belongs to.
    private let unit = AppLink.current.currentUnit
    private var timers: [Timer] = []
    private var blocks: [@Sendable () -> Void] = []

    private init(isMain: Bool) {
        self.isMain = isMain
        link = AppLink.current
    }

    /// From now on the timer fires when its time comes. A timer belongs to one run loop.
    public func add(_ timer: Timer, forMode mode: Mode) {
        guard timer.isValid, timer.loop == nil else { return }
        timer.loop = self
        timers.append(timer)
        changed(timer)
    }
    /// Runs the block in the loop's next turn.
    public func perform(_ block: @escaping @Sendable () -> Void) {
        if isMain { DispatchQueue.main.async(execute: block) } else { blocks.append(block) }
    }
    /// As `perform(_:)`: the modes have no effect.
    public func perform(inModes modes: [Mode], block: @escaping @Sendable () -> Void) { perform(block) }

    /// Runs timers and blocks until the date. On the main thread everything else of it runs as well.
    public func run(until limitDate: Date) {
        while run(mode: .default, before: limitDate), Date() < limitDate {}
        pause(until: limitDate)
    }
    /// Runs until something has happened, at the latest until the date. On the main thread that is one job or item of it.
    /// - Returns: false when there is nothing to wait for: no timer, no block.
    @discardableResult public func run(mode: Mode, before limitDate: Date) -> Bool {
        guard !isMain else {
            pause(until: limitDate, once: true)
            return true
        }
        if !blocks.isEmpty {
            let due = blocks
            blocks = []
            for block in due { block() }
            return true
        }
        guard let next = timers.min(by: { $0.fireDate < $1.fireDate }) else { return false }
        pause(until: min(next.fireDate, limitDate))
        if next.fireDate <= Date() { next.due() }
        return true
    }
    /// - Parameter once: on the main thread, until something of it has run.
    private func pause(until date: Date, once: Bool = false) {
        let seconds = min(date.timeIntervalSinceNow, 1e9)
        guard seconds > 0 else { return }
        if isMain {
            AppLink.current.runMainThread(forSeconds: seconds, once: once)
        } else {
            Thread.sleep(forTimeInterval: seconds)
        }
    }

    func remove(_ timer: Timer) { timers.removeAll { $0 === timer } }
    /// Timers of the main run loop are woken by Dispatch; others by `run`.
    func changed(_ timer: Timer) {
        guard isMain, timer.isValid else { return }
        let alarm = timer.alarm ?? DispatchSource.makeTimerSource(queue: .main)
        alarm.setEventHandler { [unowned timer] in
            timer.due()
        }
        alarm.schedule(deadline: .now() + max(0, timer.fireDate.timeIntervalSinceNow))
        if timer.alarm == nil { alarm.resume() }
        timer.alarm = alarm
    }
}
