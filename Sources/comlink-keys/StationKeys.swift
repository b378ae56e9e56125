internal import Keys
internal import Remote

/// How presses are said to the station, and what its document tells of its keys.
///
/// It has one key, which opens the microphone to all.
enum StationKeys {
  /// Its names.
  static let names = ["talk", "all"]

  /// The request of a press or release; nil: the station has no such key.
  static func request(for key: String, isPressed: Bool) -> ControlRequest? {
    names.contains(key) ? .talk(isOn: isPressed) : nil
  }

  /// What a document (see STATUS.md, Changes) tells.
  static func tally(of document: JSONTree) -> Tally {
    var peers: [JSONTree] = []
    if case .object(let members) = document["peers"] { peers = Array(members.values) }
    let key = KeyTally(
      isTalking: document["node"]?["talk"] == .bool(true), isListening: true, isCalled: false,
      isInUse: peers.contains { $0["isTalking"] == .bool(true) })
    var tally = Tally()
    for name in names { tally.keys[name] = key }
    return tally
  }
}
