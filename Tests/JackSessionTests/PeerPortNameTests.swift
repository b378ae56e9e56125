import Testing

@testable import JackSession

struct PeerPortNameTests {
  @Test(arguments: [
    ("kitchen", "peer_kitchen"), ("", "peer_"), ("a:b", "peer_a_b"), ("a\nb\u{7F}", "peer_a_b_"),
    ("a\r\nb", "peer_a_b"), ("Küche 1", "peer_Küche 1"),
  ])
  func `a peer's name becomes a port name JACK takes`(name: String, portName: String) {
    #expect(PeerPortName.portName(forPeer: name) == portName)
  }

  @Test(arguments: ["x", "ü", "👩‍👩‍👧", "語"])
  func `long names are cut at a character's end`(character: String) {
    let portName = PeerPortName.portName(forPeer: String(repeating: character, count: 100))
    #expect(portName.utf8.count <= PeerPortName.maximumBytes)
    #expect(portName.utf8.count > PeerPortName.maximumBytes - character.utf8.count)
    #expect(portName.dropFirst(5).allSatisfy { String($0) == character })
  }
}
