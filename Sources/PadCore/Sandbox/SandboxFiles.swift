import FleetModel
import Storage

/// The `file.` calls: an app's own files on its person's volume, and nothing else (Docs/local-link.md, Files).
final class SandboxFiles: PadService {
    let kernel: Kernel

    init(_ kernel: Kernel) { self.kernel = kernel }

    func serveFile(_ message: Message, _ app: AppIdentity) -> Value {
        guard let volume = pad.storage.volume(of: app.person) else {
            return LinkError.cocoa(257, "the person's volume is not there").body
        }
        let home = Pad.home(of: app.bundle)
        kernel.report(.fileCalled(message, app))
        do {
            let answer = try FileCall(
                disk: volume.disk, roots: [home] + (pad.apps.runs[app.launch]?.containers ?? []),
                inbox: "\(home)/\(Pad.inbox)",
                bundle: AppBundle(of: app.bundle) { self.pad.catalogue.bundleFiles(of: app.app) },
                gate: FileGate(
                    protection: volume.protection, isAvailable: pad.protection.isProtectedDataAvailable,
                    open: pad.apps.runs[app.launch]?.openFiles ?? []),
                exclusion: volume.exclusion,
                isPlaceholder: { self.isPlaceholder($0, app.person) },
                makeRoom: { bytes, path in
                    let freed =
                        self.pad.daemons.documents?.evictUnused(
                            bytes: bytes, of: app.person, besides: path, self.pad.daemons) ?? 0
                    if freed > 0 { self.mark("document-evicted") }
                    return freed > 0
                }
            ).serve(message)
            keepOpen(message, app)
            kernel.report(.fileServed(message, app))
            return answer
        } catch let error as LinkError {
            return refused(message, error.body, app)
        } catch let error as DatabaseError where error.isFull {
            let full = LinkError.cocoa(640, "no space left for \(message["path"]?.string ?? "the file")").body
            return refused(message, full, app)
        } catch {
            problem("\(message.name) of \(app.app) on \(deviceName): \(error)")
            return LinkError.cocoa(512, "the disk failed").body
        }
    }

    private func refused(_ message: Message, _ answer: Value, _ app: AppIdentity) -> Value {
        pad.storage.noteFull(answer, app)
        note(
            AnswerNotes.refusal(
                answer["error"] ?? .empty, of: message, nil, at: message["path"]?.string ?? "",
                tokens: EditPayload.scan(message["data"]?.data ?? []).tokens, of: app))
        return answer
    }

    func reaches(_ path: String, _ app: AppIdentity) -> Bool {
        Pad.isPlain(path, below: [Pad.home(of: app.bundle)] + (pad.apps.runs[app.launch]?.containers ?? []))
            && !isPlaceholder(path, app.person)
    }

    /// A handle is open from the first bytes that are added through it until it is closed.
    private func keepOpen(_ message: Message, _ app: AppIdentity) {
        guard let path = message["path"]?.string ?? message["from"]?.string else { return }
        switch message.name {
        case "file.move":
            if let to = message["to"]?.string, pad.apps.runs[app.launch]?.openFiles.remove(path) != nil {
                pad.apps.runs[app.launch]?.openFiles.insert(to)
            }
        case "file.append": pad.apps.runs[app.launch]?.openFiles.insert(path)
        case "file.close", "file.remove": pad.apps.runs[app.launch]?.openFiles.remove(path)
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
