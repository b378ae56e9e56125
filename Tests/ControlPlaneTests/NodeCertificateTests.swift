import Cryptography
import Mesh
import NIOSSL
import Testing

@testable import ControlPlane

@Suite struct NodeCertificateTests {
  /// Made by openssl(1), with extensions, good for one day only.
  private static let openSSL = octets(
    """
    308201303081e3a003020102021424dfed16cc542ec240192076c7f45f6498b93501300506032b6570300e310c300a06035504030c036f6c64301e
    170d3236313132323131313234385a170d3236313132333131313234385a300e310c300a06035504030c036f6c64302a300506032b6570032100ba
    345a7fc7f28c8a2489ec1fc69d64e3d8f0efc9e5ca246853a1c457ee80ae50a3533051301d0603551d0e04160414c31cce2a7bf9a20b8ecc58f2e5
    3260d0b1a615e8301f0603551d23041830168014c31cce2a7bf9a20b8ecc58f2e53260d0b1a615e8300f0603551d130101ff040530030101ff3005
    06032b65700341007992ac840f00f33742fdbab6f60d38a33212d4c7f25cecf8213a87e8bb21444097a1d67d224d74f54d8aae7dc3da7b2a882a80
    a49493da050c5f4111bf144408
    """)

  private static func octets(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap { $0.hexDigitValue.map(UInt8.init) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  @Test func `a node's key comes back from its certificate, which TLS takes`() throws {
    let identity = try TestIdentity()
    let certificate = try NodeCertificate.make(for: identity)
    #expect(NodeCertificate.key(in: certificate) == identity.publicKey)
    let read = try NIOSSLCertificate(bytes: certificate, format: .der)
    #expect(try read.toDERBytes() == certificate)
    let information = try read.extractPublicKey().toSPKIBytes()
    #expect(information.suffix(32) == identity.publicKey.bytes[...])
  }

  @Test func `the key is found in another program's certificate, whatever its dates`() throws {
    let key = Self.octets("ba345a7fc7f28c8a2489ec1fc69d64e3d8f0efc9e5ca246853a1c457ee80ae50")
    #expect(NodeCertificate.key(in: Self.openSSL) == (try PublicKey(key)))
  }

  @Test func `certificates of other keys have none for us`() throws {
    for pem in [ForeignKeys.p256, ForeignKeys.rsa] {
      let certificate = try NIOSSLCertificate(bytes: Array(pem.certificate.utf8), format: .pem)
      #expect(NodeCertificate.key(in: try certificate.toDERBytes()) == nil)
    }
  }

  @Test(arguments: [
    (NodeAddress(.ipv4(0xC000_0201), port: 5005), "192.0.2.1:5005"),
    (NodeAddress(.ipv6(0x2001_0DB8 << 32, 1), port: 65_535), "[2001:db8::1]:65535"),
    (NodeAddress(.ipv6(0xFE80 << 48, 2), port: 1, scope: 7), "[fe80::2%7]:1"),
  ])
  func `an address goes to the system and comes back, its interface too`(
    address: NodeAddress, text: String
  ) {
    #expect(NodeAddress(address.socketAddress) == address)
    #expect(address.text == text)
    #expect(NodeAddress(.observed, port: 1).socketAddress == nil)
  }

  @Test func `IPv4 inside of IPv6 is IPv4`() {
    let inside = NodeAddress(.ipv6(0, 0xFFFF_C000_0201), port: 5)
    #expect(NodeAddress(inside.socketAddress) == NodeAddress(.ipv4(0xC000_0201), port: 5))
  }

  @Test func `pairing frames are cut from any parts`() throws {
    let frames: [[UInt8]] = [[1], Array(repeating: 2, count: 300), [3, 4]]
    let stream = frames.flatMap(PairingFrames.frame)
    for size in [1, 3, 5, 400] {
      var cutter = PairingFrames(maximumBytes: 300)
      var cut: [[UInt8]] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        try cutter.append(stream[start..<min(start + size, stream.count)])
        while let frame = try cutter.next() { cut.append(frame) }
      }
      #expect(cut == frames)
    }
    var cutter = PairingFrames(maximumBytes: 300)
    #expect(throws: ControlPlaneError.frame(byteCount: 301, maximum: 300)) {
      try cutter.append([0, 0, 1, 45])
    }
    cutter = PairingFrames(maximumBytes: 300)
    #expect(throws: ControlPlaneError.frame(byteCount: 0, maximum: 300)) {
      try cutter.append([0, 0, 0, 0])
    }
  }
}
