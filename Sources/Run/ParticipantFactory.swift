import FleetModel

/// Makes the participants of a run; wired by HomeroomKit, because no room of the run knows a core.
public typealias ParticipantFactory = (ParticipantID, Value) throws -> any Participant
