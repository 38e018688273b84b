import FleetModel
import Storage

/// `DELETE /documents/v1/{container}/items/{id}?base=V`.
///
/// Only what the deleter saw is deleted: after another base, or with conflict versions unresolved, the item stays (409).
/// Deleting what is deleted succeeds.
enum DeleteDocument {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let (container, id, owner) = (call.target.path[2], call.target.path[4], call.caller.account)
        return try RequestLog.once(call, work) {
            guard var document = try Document.find(id, in: container, of: owner, work) else {
                throw CloudError(.notFound, "there never was a document '\(id)' in '\(container)'")
            }
            guard !document.isDeleted else { return Answer(json: .empty) }
            let versions = try DocumentVersion.all(of: document, work)
            guard versions.count == 1, let current = versions.first, current.isNamed(call.target["base"] ?? "") else {
                throw CloudError(
                    .conflict, "'\(document.path)' holds what 'base' has not seen; it stays, fetch the changes")
            }
            try current.remove(work)
            try work.use(bytes: -current.size, of: owner)
            document.isDeleted = true
            try document.save(of: owner, work)
            work.noteReplaced(.document, of: call.caller.name, at: document.path, old: current.tokens, by: [])
            try work.pushHint(.document, topic: container, call.caller)
            return Answer(json: .empty)
        }
    }
}

/// `POST /documents/v1/{container}/items/{id}/move {base, path}`: another path for the same content.
///
/// The content's old version id goes on to stand for it: an edit made from it is no conflict.
enum MoveDocument {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let body = try call.json()
        let (base, path) = (try body.text("base"), try body.text("path"))
        try Document.checkPath(path)
        return try RequestLog.once(call, work) {
            var document = try Document.live(call, work)
            let versions = try DocumentVersion.all(of: document, work)
            guard let current = versions.first(where: { $0.isCurrent }), current.id == base else {
                throw CloudError(
                    .conflict, "'\(document.path)' has changed since 'base'; fetch the changes and move it again")
            }
            let owner = call.caller.account
            let version = try work.newTag(owner)
            try current.rename(version, work)
            document.path = try Document.freePath(path, for: document.id, in: document.container, of: owner, work)
            try document.save(of: owner, work)
            try work.pushHint(.document, topic: document.container, call.caller)
            return Answer(json: ["version": .string(version), "path": .string(document.path)])
        }
    }
}

/// `POST /documents/v1/{container}/items/{id}/resolve {versions: [id]}`: conflict versions that somebody has read and merged.
/// Those that are gone already are no error: resolving twice is the same (icloud-documents.md 8).
enum ResolveDocument {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let ids = try call.json().optionalTexts("versions") ?? []
        return try RequestLog.once(call, work) {
            var document = try Document.live(call, work)
            let versions = try DocumentVersion.all(of: document, work)
            guard let current = versions.first(where: { $0.isCurrent }) else {
                throw CloudError(.internalError, "document '\(document.id)' has no current version")
            }
            let resolved = versions.filter { version in !version.isCurrent && ids.contains(where: version.isNamed) }
            for version in resolved {
                try version.remove(work)
                try work.use(bytes: -version.size, of: call.caller.account)
                work.noteReplaced(
                    .document, of: call.caller.name, at: document.path, old: version.tokens, by: current.tokens)
            }
            if !resolved.isEmpty {
                try document.save(of: call.caller.account, work)
                try work.pushHint(.document, topic: document.container, call.caller)
            }
            return Answer(json: ["version": .string(current.id)])
        }
    }
}
