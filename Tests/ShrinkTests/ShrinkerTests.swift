import Shrink
import Testing

@Suite("Shrinker", .timeLimit(.minutes(5))) struct ShrinkerTests {}
