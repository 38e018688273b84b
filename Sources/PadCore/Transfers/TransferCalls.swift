import FleetModel
import Storage

/// What apps ask of their background sessions.
extension TransferDaemon {
    func answer(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        switch message.name {
        case TransferMessages.Upload.name: try upload(message, app, pad)
        case TransferMessages.Download.name: try download(message, app, pad)
        case TransferMessages.Tasks.name: try tasks(message, app, pad)
        case TransferMessages.Cancel.name: try cancel(message, app, pad)
        default: throw ServiceError.malformed("\(message.name) is no call of the transfer service")
        }
    }

    /// `resume()`: when it returns, the system answers for the bytes, and the app may remove its file.
    private func upload(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        let asked = try TransferMessages.Upload(message)
        let path = asked.path
        let queue = try openQueue(message, app, pad)
        let new = try transfer(asked.wish, message.name, app, pad) { try readBody(path, app, queue.volume, pad) }
        let transfer: Transfer
        do { transfer = try hand(new, path, queue) } catch {
            let body = ServiceError(error, doing: message.name).body
            pad.note(AnswerNotes.web(body, what: message.name, to: new.target, tokens: new.tokens, of: app))
            throw error
        }
        if !transfer.tokens.isEmpty {
            pad.note(
                Note(
                    .handedOver, person: app.person, app: app.app, channel: .upload, tokens: transfer.tokens,
                    detail: ["where": .string("upload \(transfer.target)")]))
        }
        return TransferMessages.Task(transfer.number).body
    }

    /// A download's `resume()`: the system fetches what lies there, however long that takes, and the app takes the file (S137).
    private func download(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        let queue = try openQueue(message, app, pad)
        // Of a download that is taken up again the address comes from the bytes that are here.
        var asked = TransferMessages.Download(lenient: message.body)
        let taken = try asked.resumeData.map(resumed)
        if let taken {
            (asked.wish.url, asked.wish.method, asked.wish.headers) = (taken.url, taken.method, taken.headers)
        }
        _ = try TransferMessages.Download(asked.message)
        var new = try transfer(asked.wish, message.name, app, pad) { [] }
        new.isDownload = true
        let transfer = try hand(new, nil, queue)
        if let taken, pad.reaches(taken.path, app) {
            // What cannot be taken up is fetched from its beginning.
            pad.attempt("the part of \(taken.path)") { try queue.adopt(taken.part, at: taken.path, for: transfer.task) }
        }
        return TransferMessages.Task(transfer.number).body
    }
    /// What `resumeData` asks for: the same address again and the bytes that are here. When they are gone, all of it (ASSUMED).
    private func resumed(_ data: [UInt8]) throws -> ResumeData {
        guard let kept = try? Value(json: data), let found = ResumeData(fieldValue: kept) else {
            throw ServiceError.malformed("the resume data are not what a cancelled download gave")
        }
        return found
    }

    /// `cancel()`: nothing more is sent, and the app hears of it like of any other end (NSURLErrorCancelled). With `resume` the answer
    /// holds what a download can be taken up again with. Of an upload the system answers for the bytes no more.
    private func cancel(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        let asked = try TransferMessages.Cancel(message)
        guard let queue = try queue(of: app.person, pad),
            let index = queue.index(of: asked.task, in: asked.session, of: app.app),
            queue.transfers[index].outcome == nil
        else { return .empty }
        let transfer = queue.transfers[index]
        stop(index, queue, pad)
        let data = asked.resume == true ? queue.resumeData(of: index, pad) : nil
        let info = TransferMessages.Cancel.Answer { $0.resumeData = data }.body
        let outcome = Transfer.Outcome.failure(
            code: -999, message: "the app cancelled the \(transfer.word)", info: info)
        // Not written down, not cancelled: the system answers for the bytes still.
        guard finish(index, outcome, queue, pad) else { return .empty }
        if !transfer.tokens.isEmpty {
            pad.note(
                Note(
                    .handedBack, person: app.person, app: app.app, channel: .upload, tokens: transfer.tokens,
                    detail: ["code": -999]))
        }
        return info
    }

    private func openQueue(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> TransferQueue {
        guard let queue = try queue(of: app.person, pad) else {
            throw ServiceError(.posix, 5, "\(message.name): the person's storage is sealed")
        }
        return queue
    }
    /// What an app wants transferred, before it has a number.
    /// - Parameter read: gives the body, once all else is as it should be.
    private func transfer(
        _ wish: TransferMessages.Wish, _ name: String, _ app: AppIdentity, _ pad: any PadServices,
        body read: () throws -> [UInt8]
    ) throws -> Transfer {
        let target = try BackendURL(wish.url).target
        guard !wish.session.isEmpty, !wish.method.isEmpty else {
            throw ServiceError.malformed("\(name) needs a session and a method that are not empty")
        }
        let body = try read()
        var new = Transfer(
            task: 0, app: app.app, bundle: app.bundle, session: wish.session, method: wish.method, url: wish.url,
            target: target,
            headers: BackendURL.headers(wish.headers),
            description: wish.description ?? "",
            request: Self.requestID(target, body, app.person, pad),
            created: pad.now, tokens: EditPayload.scan(body).tokens)
        let longest = Transfer.lifetimeDefault.nanoseconds
        new.begins = pad.now + Span(nanoseconds: min(max(0, wish.delay ?? 0), longest))
        new.lifetime = Span(nanoseconds: min(max(1, wish.timeout ?? longest), longest))
        new.requestTimeout = wish.requestTimeout.map { Span(nanoseconds: min(max(1, $0), longest)) }
        new.sendsLaunchEvents = wish.launches ?? true
        new.isDiscretionary = wish.discretionary ?? false
        if pad.isInBackground(app) {
            // Source: app-lifecycle.md 7: tasks begun in the background are discretionary always, and the limiter concerns them alone.
            new.isDiscretionary = true
            new.held = queues[app.person]?.launchTries[app.app]?.earliestBegin(at: pad.now) ?? .zero
        }
        return new
    }

    /// Names the bytes, their address and the moment: equal for the tries of one task, different for another one.
    private static func requestID(_ target: String, _ body: [UInt8], _ person: Person, _ pad: any PadServices) -> String
    {
        var hash = StableHash(UInt64(bitPattern: pad.now.nanoseconds))
        hash.add(person)
        hash.add(target)
        hash.add(body)
        return "\(pad.deviceName).\(String(hash.value, radix: 16))"
    }

    private func hand(_ transfer: Transfer, _ path: String?, _ queue: TransferQueue) throws -> Transfer {
        do { return try queue.add(transfer, bodyAt: path) } catch {
            throw ServiceError(error, doing: "transfer.\(transfer.word) of \(path ?? transfer.url)")
        }
    }

    /// The body must be a file of the app: another app's is as good as missing (NSURLErrorFileDoesNotExist).
    /// One of a class that is sealed now cannot be read (NSURLErrorNoPermissionsToReadFile; app-lifecycle.md 7, 10).
    private func readBody(_ path: String, _ app: AppIdentity, _ volume: Volume, _ pad: any PadServices) throws
        -> [UInt8]
    {
        guard pad.reaches(path, app), let status = volume.disk.status(path), !status.isFolder else {
            throw ServiceError(.url, -1100, "there is no file \(path) to upload; write it before resume()")
        }
        let gate = FileGate(protection: volume.protection, isAvailable: pad.isProtectedDataAvailable)
        guard (try? gate.check(path, .read, exists: true)) != nil else {
            throw ServiceError(.url, -1102, "\(path) is protected and the iPad is locked; use another class")
        }
        return try volume.disk.read(path)
    }

    /// The tasks of a session that are not finished or whose outcome the app has not seen. An app that makes its session only now gets
    /// the outcomes that came earlier in this launch, when nobody listened; those of this very instant still wait in its inbox.
    private func tasks(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        let session = try TransferMessages.Tasks(message).session
        guard let queue = try queue(of: app.person, pad) else { return TransferMessages.Tasks.Answer().body }
        let mine = queue.transfers.filter { $0.app == app.app && $0.session == session }
        if launches.opens(session, app) {
            for transfer in mine where transfer.deliveredAt < pad.now {
                if let index = queue.index(of: transfer.task) { queue.update(index) { $0.deliveredTo = nil } }
            }
            deliver(to: app, announcing: false, pad)
        }
        let entries = mine.map { transfer in
            TransferMessages.Tasks.Entry {
                ($0.task, $0.url, $0.description) = (transfer.number, transfer.url, transfer.description)
                $0.download = transfer.isDownload
            }
        }
        return TransferMessages.Tasks.Answer { $0.tasks = entries }.body
    }
}

/// What a cancelled download can be taken up again with: its address, and the bytes that are here.
struct ResumeData: FieldGroup {
    var headers: Value?
    var method = ""
    var part: DownloadPart?
    var path = ""
    var url = ""
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.optional("headers", &headers)
        fields.always("method", &method)
        fields.optional("part", &part)
        fields.required("path", &path)
        fields.always("url", &url)
    }
}
