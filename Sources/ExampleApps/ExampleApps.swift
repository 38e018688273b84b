import PadApp

/// The apps of the command `homeroom`: correct ones, and broken twins that differ by one realistic mistake each.
public let exampleApps: [any PadApp.Type] = [
    Notebook.self, NotebookOverwrites.self, NotebookMemoryQueue.self, NotebookOneAccount.self,
    Quiz.self, QuizLocalFlag.self,
    Scrapbook.self, Diary.self, Bulletin.self,
    Groupwork.self, GroupworkKeepsPages.self, GroupworkPrivate.self,
    Homework.self, HomeworkLateUpload.self,
]

/// Where SwiftPM puts the Info.plist of the example app `name`, relative to the executable.
func infoPlistPath(_ name: AppName) -> String { "homeroom_ExampleApps.resources/InfoPlists/\(name)/Info.plist" }
