import Cryptography
import Testing

@testable import WebService

/// A crew's authority as what is believed of a service.
@Suite struct TrustAnchorTests {
  private func authority() throws -> PageAuthority {
    let key = try unsafe P256Key(of: [UInt8](repeating: 9, count: 32).span.bytes, for: "crew")
    return try PageAuthority(key: key, words: ["oak", "pine"])
  }

  @Test func `a crew's authority speaks for its names and addresses only`() throws {
    let authority = try authority()
    let anchor = TrustAnchor(authority.certificate)
    #expect(anchor.certificate.count < authority.certificate.count)
    for name in ["stage.local", "STAGE.local", "localhost"] {
      #expect(anchor.speaks(forName: name))
    }
    for name in ["example.org", "evillocal", ""] { #expect(!anchor.speaks(forName: name)) }
    let end = [UInt8](repeating: 0, count: 15)
    for good: [UInt8] in [[127, 0, 0, 1], [192, 168, 7, 9], [172, 31, 0, 1], end + [1]] {
      #expect(anchor.speaks(forAddress: good), "\(good)")
    }
    for bad: [UInt8] in [[8, 8, 8, 8], [172, 32, 0, 1], [0x20] + end, [127], []] {
      #expect(!anchor.speaks(forAddress: bad), "\(bad)")
    }
  }

  @Test func `what has no such constraints, or is damaged, stays as it is`() throws {
    let certificate = try authority().certificate
    let leaf = try authority().leaf(
      for: unsafe P256Key(of: [UInt8](repeating: 8, count: 32).span.bytes, for: "node"),
      names: ["a.local"], addresses: [], unixSeconds: 1_795_000_000)
    for other in [leaf, [], [0x30], Array(certificate.dropLast(3))] {
      let anchor = TrustAnchor(other)
      #expect(anchor.certificate == other && anchor.speaks(forName: "example.org"))
    }
    // Whatever an octet of it becomes, it is read to an end.
    for index in certificate.indices {
      var damaged = certificate
      damaged[index] ^= 0xFF
      _ = TrustAnchor(damaged).speaks(forAddress: [10, 0, 0, 1])
    }
  }
}
