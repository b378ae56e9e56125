import Remote
import TestKit
import Testing

@testable import Panel

/// What comes from a network may be anything.
///
/// A seed makes each case, so that one that fails can be run again.
@Suite(.timeLimit(.minutes(5))) struct PageFuzzTests {
  /// Cases of one seed.
  private static let count = 40

  @Test(arguments: Seeds.first(9))
  func `whatever comes in place of a request, the page serves the next`(seed: UInt64) async throws {
    try await PageRig.run(limits: Self.roomy) { rig in
      var noise = Noise(seed: seed)
      let cookie = try await rig.signIn(.admin)
      let origin = "https://\(rig.host)"
      func session(_ path: String, _ body: String) -> String {
        rig.request(
          "POST", "/v1/sessions/\(path)", origin: origin, cookie: cookie, body: body,
          more: "Content-Type: application/json\r\n")
      }
      for number in 0..<Self.count {
        let good = [
          rig.request("GET", "/main.js", cookie: cookie),
          rig.request("GET", "/ws", origin: origin, cookie: cookie, more: PageRig.upgrade),
          rig.request(
            "POST", "/api/v1/session", origin: origin, body: #"{"token":"a","name":"b"}"#),
          rig.request("DELETE", "/api/v1/session", origin: "https://x", cookie: cookie),
          session("start", #"{"context":"page"}"#), session("s1/turn", #"{"text":"a"}"#),
          session("end", #"{"session_id":"s1"}"#),
          rig.request("GET", "/v1/sessions?limit=5", origin: origin, cookie: cookie),
        ]
        let visitor = try await rig.connect()
        visitor.send(noise.damaged(Array(good[number % good.count].utf8), times: 1 + number % 8))
      }
      #expect(try await rig.answer("GET", "/icon.svg").status == 200)
      #expect(rig.node.requests.isEmpty)
    }
  }

  @Test(arguments: Seeds.first(9))
  func `whatever comes in place of a frame, the page answers the next phone`(
    seed: UInt64
  ) async throws {
    try await PageRig.run(limits: Self.roomy) { rig in
      var noise = Noise(seed: seed)
      let cookie = try await rig.signIn(.listen)
      let good = [
        #"{"request":"status"}"#, #"{"request":"subscribe","levels":true}"#,
        #"{"request":"gain","peer":"B","decibels":-6}"#, #"{"request":"restart"}"#,
      ]
      for number in 0..<Self.count {
        let phone = try await rig.open(cookie: cookie)
        let text = Array(good[number % good.count].utf8)
        // Damaged within a frame, then as a frame, then no frame at all.
        phone.frame(noise.isIn(4) ? noise.octet : 0x81, noise.damaged(text, times: number % 6))
        phone.send(
          noise.damaged([0x81, 0x80 | UInt8(text.count), 0, 0, 0, 0] + text, times: 1 + number % 8))
      }
      let phone = try await rig.open(cookie: cookie)
      phone.say(#"{"request":"version"}"#)
      #expect(try await phone.message() == #"{"ok":true}"#)
      // Whatever it was: nobody did what this phone has no right to.
      let done = rig.node.requests.filter { $0.neededRights > .listen }
      #expect(done.isEmpty)
    }
  }

  @Test(arguments: Seeds.first(9))
  func `whatever comes of a guest, the next one has its place`(seed: UInt64) async throws {
    try await PageRig.run(limits: Self.roomy) { rig in
      var noise = Noise(seed: seed)
      let cookie = try await rig.signIn(.talk)
      let hello = Array(#"{"guest":"0123456789abcdef","hears":"opus"}"#.utf8)
      let keys = Array(#"{"keys":["all","lights"],"number":7}"#.utf8)
      let sound: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 1, 224, 30, 240, 1, 2]
      for number in 0..<Self.count {
        let phone = try await rig.open(cookie: cookie, at: "/voice")
        phone.frame(0x81, noise.damaged(hello, times: number % 3))
        phone.frame(0x82, noise.damaged(sound, times: number % 6))
        phone.frame(noise.isIn(4) ? noise.octet : 0x81, noise.damaged(keys, times: number % 8))
        phone.send(noise.damaged([0x82, 0x80 | UInt8(sound.count), 0, 0, 0, 0] + sound, times: 3))
      }
      let phone = try await rig.open(cookie: cookie, at: "/voice")
      phone.say(#"{"guest":"fedcba9876543210","hears":"pcm"}"#)
      #expect(try await phone.message() == #"{"ok":true}"#)
      #expect(rig.guests.places.count <= Self.count + 1)
    }
  }

  /// All that comes is taken: what is judged here is not the bounds.
  private static var roomy: PageLimits {
    var limits = PageLimits()
    (limits.connections, limits.connectionsOfAddress, limits.viewers) = (4096, 4096, 4096)
    limits.guests.connections = 4096
    return limits
  }
}

/// Octets that are wrong in the ways that octets get wrong.
private struct Noise {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  var octet: UInt8 { mutating get { UInt8.random(in: 0...255, using: &random) } }

  mutating func isIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  mutating func damaged(_ good: [UInt8], times: Int) -> [UInt8] {
    var octets = good
    for _ in 0..<times {
      let at = Int.random(in: 0...octets.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where at < octets.count: octets[at] ^= 1 << (octet & 7)
      case 1 where at < octets.count: octets[at] = octet
      case 2: octets.removeSubrange(at..<min(octets.count, at + 8))
      case 3: octets.insert(contentsOf: (0..<8).map { _ in octet }, at: at)
      case 4: octets.insert(contentsOf: octets.suffix(from: at).prefix(64), at: at)
      default: octets = Array(octets.prefix(at))
      }
    }
    return octets
  }
}
