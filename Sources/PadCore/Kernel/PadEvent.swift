import FleetModel

/// What somebody who looks on can see of an iPad.
enum PadEvent {
    /// A message of an app, posted or called, before it is served.
    case asked(Message, exchange: UInt64, AppIdentity)
    /// A call of an app to a daemon was answered.
    case served(Message, AppIdentity)
    /// An answer of a daemon to an app, or what it gets without having asked.
    case answered(Message, exchange: UInt64, AppIdentity)
    /// A file call of an app: before it is served, and when it was.
    case fileCalled(Message, AppIdentity)
    case fileServed(Message, AppIdentity)
    /// The system removed a file of an app.
    case fileRemoved(String, by: String, AppIdentity)
    /// A process was loaded.
    case started(AppIdentity)
    case launchBegan(Int)
    case launchCompleted(AppIdentity)
    /// A person's edit is given to an app.
    case handed(Edit)
    /// What an app says is on its screen after an event in the background; what was there before it.
    indirect case screenTold(Message, AppRun, before: [UInt8]?)
    case taskBegan(Int64, name: String, launch: Int)
    case taskEnded(Int64, launch: Int)
    /// A process is gone, and its launch is off the system's books.
    indirect case ended(AppRun)
    /// What daemons hear too.
    case system(SystemEvent)
    /// Notes of one moment, after they were made.
    case noted([Note])
    /// Only with `notesArrivals`.
    case left(Output)
}

/// Somebody who looks on: for the lint, for figures, for stories. It may make notes; nothing on the iPad depends on it.
protocol PadObserver: AnyObject {
    func saw(_ event: PadEvent)
}
