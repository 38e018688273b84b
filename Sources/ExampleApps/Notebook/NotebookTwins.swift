import CloudKit

/// Notebook with one mistake (bug zoo ck-08): a save policy that compares no tags, so that no conflict is ever reported and the
/// later save lies over whatever another iPad wrote.
final class NotebookOverwrites: Notebook {
    nonisolated override class var declaration: AppDeclaration { notebookDeclaration("notebook-overwrites") }
    override class var policy: NoteSync.Policy { NoteSync.Policy(save: .allKeys) }
}

/// Notebook with one mistake (bug zoo life-03): what is not sent yet lives in memory, in the hope that the app lives long enough.
/// A switch to the next person ends it.
final class NotebookMemoryQueue: Notebook {
    nonisolated override class var declaration: AppDeclaration { notebookDeclaration("notebook-memory-queue") }
    override class var policy: NoteSync.Policy { NoteSync.Policy(isLongLived: false, keepsEditsOnDisk: false) }
}

/// Notebook with one mistake (bug zoo id-01): the account is met once and never compared again. Whoever signs in to another iCloud account
/// finds the notes of the one before, and they go up to it with the next edit.
final class NotebookOneAccount: Notebook {
    nonisolated override class var declaration: AppDeclaration { notebookDeclaration("notebook-one-account") }
    override class var followsAccount: Bool { false }
}
