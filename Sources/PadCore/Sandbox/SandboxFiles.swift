import FleetModel
import Storage

/// The `file.` calls: an app's own files on its person's volume, and nothing else (Docs/local-link.md, Files).
final class SandboxFiles: PadService {
    /// What a launch has open.
    private struct Open {
        /// Ubiquity containers: it may touch files there.
        var containers: [String] = []
        /// Files that it has open for adding (`FileHandle`), and databases.
        var files: Set<String> = []
        /// The first of its databases that it holds a lock on, and what it does there.
        var lock: (path: String, statement: String)?
    }

    let kernel: Kernel
    private var open: [Int: Open] = [:]

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// A launch has opened a ubiquity container.
    func opened(container path: String, by launch: Int) {
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        guard open[launch]?.containers.contains(folder) != true else { return }
        open[launch, default: Open()].containers.append(folder)
    }
    /// Its containers are out of its reach: it works in another account.
    func close(_ launch: Int) { open[launch]?.containers = [] }
    func ends(_ ending: Ending) {
        if case .launch(let launch) = ending { open[launch] = nil }
    }

    /// `file.locks {held: [{path, statement}]}`: what a launch holds at the end of a step, whenever that is something else than before.
    func learnLocks(_ message: Message, _ launch: Int) {
        let first = FileMessages.Locks(lenient: message.body).held.first
        open[launch, default: Open()].lock = first.map {
            (path: $0.path, statement: $0.statement)
        }
    }
    /// What a launch must not hold when it is suspended; nil: nothing.
    func lockHeld(by launch: Int) -> String? {
        open[launch]?.lock.map { lock in
            "the end of '\(lock.statement)' in \(lock.path) before it was suspended (0xdead10cc)"
        }
    }

    func serveFile(_ message: Message, _ app: AppIdentity) -> Value {
        guard let volume = pad.storage.volume(of: app.person) else {
            return LinkError.cocoa(257, "the person's volume is not there").body
        }
        let home = Pad.home(of: app.bundle)
        kernel.report(.fileCalled(message, app))
        do {
            let answer = try FileCall(
                disk: volume.disk, roots: [home] + (open[app.launch]?.containers ?? []),
                inbox: "\(home)/\(Pad.inbox)",
                bundle: AppBundle(of: app.bundle) { self.pad.catalogue.bundleFiles(of: app.app) },
                gate: FileGate(
                    protection: volume.protection, isAvailable: pad.protection.isProtectedDataAvailable,
                    open: open[app.launch]?.files ?? []),
                exclusion: volume.exclusion,
                isPlaceholder: { self.isPlaceholder($0, app.person) },
                makeRoom: { bytes, path in
                    let freed =
                        self.pad.daemons.documents?.evictUnused(
                            bytes: bytes, of: app.person, besides: path, self.pad.daemons) ?? 0
                    if freed > 0 { self.mark(.documentEvicted) }
                    return freed > 0
                }
            ).serve(message)
            keepOpen(message, app)
            kernel.report(.fileServed(message, app))
            return answer
        } catch let error as LinkError {
            return refused(message, error.body, app)
        } catch let error as DatabaseError where error.isFull {
            let path = FileMessages.Whichever(lenient: message.body).path ?? "the file"
            let full = LinkError.cocoa(640, "no space left for \(path)").body
            return refused(message, full, app)
        } catch {
            problem("\(message.name) of \(app.app) on \(deviceName): \(error)")
            return LinkError.cocoa(512, "the disk failed").body
        }
    }

    private func refused(_ message: Message, _ answer: Value, _ app: AppIdentity) -> Value {
        pad.storage.noteFull(answer, app)
        let asked = FileMessages.Whichever(lenient: message.body)
        note(
            AnswerNotes.refusal(
                AnswerNotes.of(answer.linkError ?? .empty), of: message, nil, at: asked.path ?? "",
                tokens: EditPayload.scan(asked.data ?? []).tokens, of: app))
        return answer
    }

    func reaches(_ path: String, _ app: AppIdentity) -> Bool {
        Pad.isPlain(path, below: [Pad.home(of: app.bundle)] + (open[app.launch]?.containers ?? []))
            && !isPlaceholder(path, app.account)
    }

    /// A handle is open from the first bytes that are added through it until it is closed.
    private func keepOpen(_ message: Message, _ app: AppIdentity) {
        let asked = FileMessages.Whichever(lenient: message.body)
        guard let path = asked.path ?? asked.from else { return }
        switch message.name {
        case FileMessages.Move.name:
            if let to = asked.to, open[app.launch]?.files.remove(path) != nil {
                open[app.launch]?.files.insert(to)
            }
        case FileMessages.Append.name, FileMessages.Open.name: open[app.launch, default: Open()].files.insert(path)
        case FileMessages.Close.name, FileMessages.Remove.name: open[app.launch]?.files.remove(path)
        default: break
        }
    }

    /// A document that is listed but not downloaded.
    private func isPlaceholder(_ path: String, _ person: Person) -> Bool {
        guard path.hasPrefix(Pad.ubiquity) else { return false }
        let person =
            ContainerPath(path)?.isSecond == true ? SecondAccount.name(of: pad.accounts.holder(of: person)) : person
        placeholders?.used(path, person: person, at: now)
        return placeholders?.isPlaceholder(path, person: person) ?? false
    }
    private var placeholders: (any Placeholders)? { pad.daemons.documents }
}

/// Who knows which documents are not local: the documents daemon.
protocol Placeholders: AnyObject {
    func isPlaceholder(_ path: String, person: Person) -> Bool
    /// An app reads a document: it is in use.
    func used(_ path: String, person: Person, at now: Instant)
}

extension DocumentDaemon: Placeholders {}
