// A homeroom of its own with variants of the example apps that make one realistic mistake each (zoo.tsv), and a measure of what the testbed makes
// of them: `zoo measure` (Scripts/zoo).
import HomeroomKit

if CommandLine.arguments.dropFirst().first == "measure" { Measure.main(Array(CommandLine.arguments.dropFirst(2))) }

Homeroom.main(apps: [
    ExpiredIsNothing.self, PartialIsDone.self, Forces.self, SavesBack.self, NewNames.self, FetchWins.self,
    AnyAnswerWillDo.self, OnlyPushes.self, LaterClockWins.self, RefusedIsForgotten.self,
    LeavesNothing.self, OneAccount.self, Batches.self, InMemory.self, FirstPage.self,
    SetsUpAgain.self, OneKey.self, PoursBack.self,
    ThrowsAway.self, ReadOnce.self, MissingIsNew.self, RemovesToFree.self, LeftBehind.self,
    SavesAtTheEnd.self, RemovesAtHandOver.self, GivesUp.self, FinishedIsDelivered.self, LockedIsSignedOut.self,
    UnsentInCaches.self,
])
