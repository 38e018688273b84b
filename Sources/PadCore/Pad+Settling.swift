import FleetModel

extension Pad {
    /// More rounds than any chain of consequences needs: what goes on longer turns in a circle.
    private static let roundsMax = 1000

    /// Does what follows from changed state, until nothing more does. What never ends is our error and ends the run.
    func settle() {
        var rounds = 0
        while kernel.needsSettling, !kernel.isDown {
            kernel.needsSettling = false
            guard rounds < Self.roundsMax else {
                kernel.problem(
                    "\(kernel.spec.deviceName) does not settle, \(rounds) rounds and still \(whatMoves)")
                return
            }
            rounds += 1
            apps.advanceAll()
            apps.screen.continueOpening()
            apps.questions.askQuestions()
            sessions.continueSignOut()
        }
    }
    /// What `settle` works on, for somebody who looks for the circle.
    private var whatMoves: String {
        let parts =
            apps.whatMoves + [apps.screen.whatMoves, sessions.whatMoves, apps.questions.whatMoves].compactMap { $0 }
        return parts.isEmpty ? "something changes though nobody moves" : parts.joined(separator: "; ")
    }
}
