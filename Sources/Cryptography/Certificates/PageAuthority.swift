/// A crew's certificate authority for the page: a phone that trusts it trusts the pages of all nodes of the group.
///
/// Key and certificate follow from the group's secret alone, octet for octet, so that every node of a group has the
/// same without a message. Whoever has the secret can therefore make certificates, but by the name constraints
/// (RFC 5280 §4.2.1.10) for ``names`` and ``networks`` only, never for a name of the internet.
public struct PageAuthority: Sendable {
  /// The domains that it may certify, each with all below it.
  public static let names = ["local", "localhost"]
  /// The networks that it may certify: private, link-local and loopback (RFC 1918, 3927, 4193, 4291 §2.5.6, 1122).
  ///
  /// The address' first octets, how many octets an address has, and how many bits the network's part.
  static let networks: [(prefix: [UInt8], byteCount: Int, bits: Int)] = [
    ([10], 4, 8), ([172, 16], 4, 12), ([192, 168], 4, 16), ([169, 254], 4, 16), ([127], 4, 8),
    ([0xFC], 16, 7), ([0xFE, 0x80], 16, 10), (Array(repeating: 0, count: 15) + [1], 16, 128),
  ]
  /// How long a node's certificate is good: what browsers bear, and one month less than what they did.
  static let leafDays: Int64 = 397
  /// A node's certificate begins with a span of so many days, so that it stays the same within one.
  static let spanDays: Int64 = 90
  /// No certificate begins before: a board without a clock starts in 1970, and no phone would take one of then.
  static let firstDay: Int64 = 20_454  // 2026-01-01

  private let key: P256Key
  private let subject: [UInt8]
  /// What phones call it.
  public let name: String
  /// The certificate that phones are to trust, DER.
  public let certificate: [UInt8]

  /// The authority of a key.
  ///
  /// - Parameter words: by which people tell one crew's from another's; everybody may know them.
  public init(key: P256Key, words: [String]) throws(CryptoError) {
    self.key = key
    name = "Comlink " + words.joined(separator: " ")
    subject = CertificateText.name(name)
    let extensions = [
      CertificateText.extension([0x55, 0x1D, 0x13], isCritical: true, Self.isAuthority),
      CertificateText.extension(
        [0x55, 0x1D, 0x0F], isCritical: true,
        // keyCertSign and cRLSign.
        DERReader.element(DERReader.Tag.bitString, [0x01, 0x06])),
      CertificateText.extension([0x55, 0x1D, 0x1E], isCritical: true, Self.constraints),
      CertificateText.extension(
        [0x55, 0x1D, 0x0E], CertificateText.keyIdentifier(of: key.publicKey)),
    ]
    certificate = try CertificateText.certificate(
      subject: subject, issuer: subject, key: key, firstDay: Self.firstDay,
      lastDay: Self.firstDay + 8765,  // 2049-12-31, the last year of UTCTime
      extensions: extensions, signer: key)
  }

  /// Whether phones would take a certificate of this authority for a name.
  public static func permits(name: String) -> Bool {
    let name = name.lowercased()
    return names.contains { name == $0 || name.hasSuffix(".\($0)") }
  }

  /// Whether they would for an address of 4 or 16 octets.
  public static func permits(address: [UInt8]) -> Bool {
    networks.contains { network in
      guard address.count == network.byteCount else { return false }
      let (range, mask) = octets(of: network)
      return zip(address, zip(range, mask)).allSatisfy { $0 & $1.1 == $1.0 }
    }
  }

  /// A certificate of a node, DER, good from the day's span on for ``leafDays``.
  ///
  /// - Parameters:
  ///   - names: host names; those that the authority may not certify are left out, as one would spoil all.
  ///   - addresses: of 4 or 16 octets, likewise.
  ///   - unixSeconds: the time now.
  public func leaf(
    for key: P256Key, names: [String], addresses: [[UInt8]], unixSeconds: Int64
  ) throws(CryptoError) -> [UInt8] {
    let names = names.filter { Self.permits(name: $0) && $0.utf8.allSatisfy { $0 < 0x80 } }
    let addresses = addresses.filter(Self.permits(address:))
    let day = max(unixSeconds / 86_400, Self.firstDay)
    let firstDay = day - (day - Self.firstDay) % Self.spanDays
    let alternatives = DERReader.element(
      DERReader.Tag.sequence,
      names.flatMap { DERReader.element(0x82, Array($0.utf8)) }
        + addresses.flatMap { DERReader.element(0x87, $0) })
    let extensions = [
      CertificateText.extension(
        [0x55, 0x1D, 0x0F], isCritical: true,
        // digitalSignature.
        DERReader.element(DERReader.Tag.bitString, [0x07, 0x80])),
      CertificateText.extension([0x55, 0x1D, 0x25], Self.forServers),
      CertificateText.extension([0x55, 0x1D, 0x11], alternatives),
      CertificateText.extension(
        [0x55, 0x1D, 0x23],
        DERReader.element(
          DERReader.Tag.sequence,
          DERReader.element(0x80, CertificateText.keyHash(of: self.key.publicKey)))),
    ]
    return try CertificateText.certificate(
      subject: CertificateText.name(names.first ?? "comlink"), issuer: subject, key: key,
      firstDay: firstDay, lastDay: firstDay + Self.leafDays, extensions: extensions,
      signer: self.key)
  }

  /// `BasicConstraints`: an authority, of no further ones.
  private static let isAuthority = DERReader.element(
    DERReader.Tag.sequence, DERReader.element(DERReader.Tag.boolean, [0xFF]),
    DERReader.element(DERReader.Tag.integer, [0]))

  /// `ExtKeyUsage` with id-kp-serverAuth.
  private static let forServers = DERReader.element(
    DERReader.Tag.sequence,
    DERReader.element(
      DERReader.Tag.objectIdentifier, [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]))

  /// `NameConstraints` with what is permitted.
  private static var constraints: [UInt8] {
    let subtrees =
      names.map { DERReader.element(0x82, Array($0.utf8)) }
      + networks.map { network in
        let (range, mask) = octets(of: network)
        return DERReader.element(0x87, range + mask)
      }
    return DERReader.element(
      DERReader.Tag.sequence,
      DERReader.element(
        0xA0, subtrees.flatMap { DERReader.element(DERReader.Tag.sequence, $0) }))
  }

  private static func octets(
    of network: (prefix: [UInt8], byteCount: Int, bits: Int)
  ) -> (range: [UInt8], mask: [UInt8]) {
    let rest = network.byteCount - network.prefix.count
    let mask = (0..<network.byteCount).map { index in
      UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, network.bits - 8 * index)))
    }
    return (network.prefix + Array(repeating: 0, count: rest), mask)
  }
}
