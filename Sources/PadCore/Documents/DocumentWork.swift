/// Something that is done to the documents of one account, on one iPad. What lasts is the library's; a work lasts as long as what it does.
protocol DocumentWork {
    var library: DocumentLibrary { get }
    var pad: any PadServices { get }
}

extension DocumentWork {
    var calls: DocumentCalls { DocumentCalls(library: library, pad: pad) }
    var writing: CoordinatedWrites { CoordinatedWrites(library: library, pad: pad) }
    var coordination: DocumentTurns { DocumentTurns(library: library, pad: pad) }
    var presenters: DocumentPresenters { DocumentPresenters(library: library, pad: pad) }
    var feeds: DocumentFeed { DocumentFeed(library: library, pad: pad) }
    var placing: DocumentPlacing { DocumentPlacing(library: library, pad: pad) }
    var sync: DocumentSync { DocumentSync(library: library, pad: pad) }
    var repair: DocumentRepair { DocumentRepair(library: library, pad: pad) }
    var manageStorage: DocumentStorage { DocumentStorage(library: library, pad: pad) }
}
