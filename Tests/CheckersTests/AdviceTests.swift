import FleetModel
import Testing

@testable import Checkers

@Suite("Purge advice and clock", .timeLimit(.minutes(20))) struct AdviceTests {
    @Test(
        "Purgeable storage: advised only where the app ended with an edit on its way; with all in the Cloud by then, a trial is",
        arguments: [true, false])
    func purgeAdvice(isOnItsWay: Bool) {
        var day = Chronicle()
        for number in 1...2 {
            day.write("maya.\(number)")
            day.handOver("maya.\(number)")
            if number == 1 || !isOnItsWay { day.commit("maya.\(number)") }
        }
        day.add(
            .pad(1),
            Note(
                .habit, person: "maya", app: "notebook", tokens: ["maya.1", "maya.2"], detail: ["what": "undeclared"]))
        let advice = PurgeAdvice.lines(day.events)
        #expect(advice.count == 1)
        #expect(advice.first?.hasSuffix("; declare NSSupportsPurgeableLocalStorage") == isOnItsWay)
        #expect(advice.first?.contains("partition") == !isOnItsWay)
    }

    @Test("Clock: one form for every moment of a story, also before the first morning and on later days")
    func clock() {
        #expect((Instant.zero + .seconds(160)).wallClock == "08:02:40.000")
        #expect((Instant.zero + .hours(24)).wallClock == "day 2 08:00:00.000")
        #expect(Instant(nanoseconds: -Span.hours(9).nanoseconds).wallClock == "day 0 23:00:00.000")
        let stamp = Note(
            .stamped, tokens: ["maya.1"],
            detail: ["key": "k", "stamp": .int(Instant.epochNanoseconds + 60_000_000_000), "device": "ipad-1"])
        #expect(
            StoryWords.sentence(stamp, about: "maya.1", of: "maya")
                == "maya.1 is stamped 08:01:00.000 by ipad-1 for key k")
        #expect(!Instant(nanoseconds: .max).wallClock.isEmpty && !Instant(nanoseconds: .min).wallClock.isEmpty)
    }
}
