/// Certificates of version 3 (RFC 5280 §4.1), written as DER.
enum CertificateText {
  /// ecdsa-with-SHA256 (RFC 5758 §3.2).
  private static let algorithm = DERReader.element(
    DERReader.Tag.sequence,
    DERReader.element(
      DERReader.Tag.objectIdentifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))

  /// A certificate, good from the beginning of a day to that of another, counted from 1970-01-01.
  ///
  /// Its serial number is a hash of the rest: the same contents are the same certificate, others have another number.
  static func certificate(
    subject: [UInt8], issuer: [UInt8], key: P256Key, firstDay: Int64, lastDay: Int64,
    extensions: [[UInt8]], signer: P256Key
  ) throws(CryptoError) -> [UInt8] {
    typealias DER = DERReader
    let validity = DER.element(DER.Tag.sequence, time(day: firstDay), time(day: lastDay))
    let rest =
      algorithm + issuer + validity + subject + key.publicKeyInfo
      + DER.element(
        DER.Tag.extensions, DER.element(DER.Tag.sequence, extensions.flatMap { $0 }))
    let hash = Digest.sha256(label: "comlink certificate number 1", rest)
    let serial = DER.element(DER.Tag.integer, [0x40 | hash[0] & 0x3F] + hash[1..<16])
    let version = DER.element(DER.Tag.version, DER.element(DER.Tag.integer, [2]))
    let body = DER.element(DER.Tag.sequence, version, serial, rest)
    return DER.element(
      DER.Tag.sequence, body, algorithm,
      DER.element(DER.Tag.bitString, [0], try signer.signature(of: body)))
  }

  /// `Name` of a common name alone.
  static func name(_ text: String) -> [UInt8] {
    typealias DER = DERReader
    let attribute = DER.element(
      DER.Tag.sequence, DER.element(DER.Tag.objectIdentifier, [0x55, 0x04, 0x03]),
      // RFC 5280 A.1: 64 characters at most.
      DER.element(DER.Tag.utf8String, Array(String(text.prefix(64)).utf8)))
    return DER.element(DER.Tag.sequence, DER.element(DER.Tag.set, attribute))
  }

  /// `Extension`.
  static func `extension`(
    _ identifier: [UInt8], isCritical: Bool = false, _ value: [UInt8]
  ) -> [UInt8] {
    typealias DER = DERReader
    return DER.element(
      DER.Tag.sequence, DER.element(DER.Tag.objectIdentifier, identifier),
      isCritical ? DER.element(DER.Tag.boolean, [0xFF]) : [],
      DER.element(DER.Tag.octetString, value))
  }

  /// `SubjectKeyIdentifier`.
  static func keyIdentifier(of publicKey: [UInt8]) -> [UInt8] {
    DERReader.element(DERReader.Tag.octetString, keyHash(of: publicKey))
  }

  /// The first 160 bits of the SHA-256 of a public key (RFC 7093 §2).
  static func keyHash(of publicKey: [UInt8]) -> [UInt8] {
    Array(unsafe Digest.sha256(publicKey.span.bytes).prefix(20))
  }

  /// `UTCTime` of a day's beginning, 1970 … 2049.
  private static func time(day: Int64) -> [UInt8] {
    let (year, month, day) = date(of: day)
    let text = [year % 100, month, day].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined() + "000000Z"
    return DERReader.element(DERReader.Tag.utcTime, Array(text.utf8))
  }

  /// The date of a day since 1970-01-01, by Gregory's calendar.
  static func date(of day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // In years that begin in March, so that a leap day is the last of one (H. Hinnant, "chrono-compatible
    // low-level date algorithms").
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
