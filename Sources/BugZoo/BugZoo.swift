import HomeroomKit

/// All bugs of the zoo, in the order of its table (zoo.tsv).
public let plantedBugs: [PlantedBug] = PlantedBug.all(
    String(decoding: PackageResources.zoo_tsv, as: UTF8.self),
    types: [
        ExpiredIsNothing.self, PartialIsDone.self, Forces.self, SavesBack.self, NewNames.self, FetchWins.self,
        AnyAnswerWillDo.self, OnlyPushes.self, LaterClockWins.self, RefusedIsForgotten.self,
        LeavesNothing.self, OneAccount.self, Batches.self, InMemory.self, FirstPage.self,
        SetsUpAgain.self, OneKey.self, PoursBack.self,
        ThrowsAway.self, ReadOnce.self, MissingIsNew.self, RemovesToFree.self, LeftBehind.self,
        SavesAtTheEnd.self, RemovesAtHandOver.self, GivesUp.self, FinishedIsDelivered.self, LockedIsSignedOut.self,
        UnsentInCaches.self,
    ])
