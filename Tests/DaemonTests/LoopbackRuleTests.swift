import Testing

@testable import comlinkd

@Suite struct LoopbackRuleTests {
  static let table: [(listen: String, peer: String?, plain: Bool, insecure: Bool)] = [
    ("127.0.0.1:5004", nil, true, true),
    ("127.255.0.9:1", nil, true, true),
    ("[::1]:5004", nil, true, true),
    ("[::ffff:127.0.0.1]:5004", nil, true, true),
    ("localhost:5004", nil, true, true),
    ("0.0.0.0:5004", nil, false, true),
    ("[::]:5004", nil, false, true),
    ("192.0.2.1:5004", nil, false, true),
    ("[::ffff:192.0.2.1]:5004", nil, false, true),
    ("[fe80::1%lo]:5004", nil, false, true),
    ("[::1]:5004", "[::1]:5006", true, true),
    ("127.0.0.1:5004", "127.0.0.1:5006", true, true),
    ("127.0.0.1:5004", "studio.local:5006", true, true),
    ("127.0.0.1:5004", "192.0.2.1:5006", false, false),
    ("0.0.0.0:5004", "192.0.2.1:5006", false, true),
    ("[::]:5004", "[2001:db8::1]:5006", false, true),
  ]

  @Test(arguments: table)
  func `addresses beyond this machine need a user who insists`(
    listen: String, peer: String?, plain: Bool, insecure: Bool
  ) {
    let addresses = [(Setting.listen, listen)] + (peer.map { [(.peer, $0)] } ?? [])
    #expect((TestSurroundings.complaint(flags: addresses) == nil) == plain)
    let insisted = addresses + [(.insecure, "true")]
    #expect((TestSurroundings.complaint(flags: insisted) == nil) == insecure)
  }

  @Test func `the refusal says why and what to do`() throws {
    let words = try #require(TestSurroundings.complaint(flags: [(.listen, "0.0.0.0:5004")]))
    #expect(words.hasPrefix("--listen is 0.0.0.0:5004, which is beyond this machine"))
    #expect(words.contains("not encrypted"))
    #expect(words.contains("--insecure"))
    let deaf = [(Setting.peer, "192.0.2.1:5006"), (.insecure, "true")]
    #expect(TestSurroundings.complaint(flags: deaf)?.contains("add --listen 0.0.0.0:5004") == true)
  }

  @Test(arguments: ["127.0.0.1:5004", "[::1]:80", "[fe80::1%eth0]:5004", "a-b.c_d:1"])
  func `an endpoint is written as it is read`(text: String) throws {
    #expect(try Endpoint(text).text == text)
  }
}
