internal import Cryptography

/// A certificate that a user believes, and whom it may speak for.
///
/// The TLS of this program refuses all that is certified by an authority whose name constraints are of addresses
/// (RFC 5280 §4.2.1.10), as a crew's is. Of such a one the constraints are held here against whoever is asked, and
/// TLS gets it without them: all that it certifies is then good for that one name or address, or nothing.
struct TrustAnchor: Sendable {
  private typealias DER = DERReader

  /// What TLS is to believe, DER.
  let certificate: [UInt8]
  /// Names and addresses that it may certify; nil: TLS looks after that.
  private let permitted: Permitted?

  private struct Permitted: Sendable {
    var names: [String] = []
    /// Range and mask.
    var networks: [(range: [UInt8], mask: [UInt8])] = []
  }

  /// id-ce-nameConstraints.
  private static let identifier: [UInt8] = [0x55, 0x1D, 0x1E]

  /// Takes a certificate, DER; one that is not understood stays as it is.
  init(_ certificate: [UInt8]) {
    guard let (rest, constraints) = Self.split(certificate),
      let held = Self.permitted(constraints), !held.networks.isEmpty
    else {
      (self.certificate, permitted) = (certificate, nil)
      return
    }
    (self.certificate, permitted) = (rest, held)
  }

  /// Whether it may speak for a name.
  func speaks(forName name: String) -> Bool {
    guard let permitted else { return true }
    let name = name.lowercased()
    return permitted.names.contains { name == $0 || name.hasSuffix(".\($0)") }
  }

  /// Whether it may speak for an address of 4 or 16 octets.
  func speaks(forAddress address: [UInt8]) -> Bool {
    guard let permitted else { return true }
    return permitted.networks.contains { network in
      network.range.count == address.count
        && address.indices.allSatisfy {
          address[$0] & network.mask[$0] == network.range[$0] & network.mask[$0]
        }
    }
  }

  /// A certificate without its name constraints, and these; nil: it has none.
  ///
  /// Nobody checks the signature of what is believed, so that it need not be right any more.
  private static func split(
    _ certificate: [UInt8]
  ) -> (rest: [UInt8], constraints: ArraySlice<UInt8>)? {
    var outer = DER(certificate[...])
    guard var parts = outer.next(DER.Tag.sequence).map({ DER($0) }),
      let body = parts.next(DER.Tag.sequence)
    else { return nil }
    var (fields, before) = (DER(body), [UInt8]())
    while let tag = fields.nextTag, tag != DER.Tag.extensions {
      guard let field = fields.next(tag) else { return nil }
      before += DER.element(tag, Array(field))
    }
    guard let wrapped = fields.next(DER.Tag.extensions), fields.nextTag == nil else { return nil }
    var wrapper = DER(wrapped)
    guard var list = wrapper.next(DER.Tag.sequence).map({ DER($0) }) else { return nil }
    var (kept, found) = ([UInt8](), [ArraySlice<UInt8>]())
    while list.nextTag != nil {
      guard let entry = list.next(DER.Tag.sequence) else { return nil }
      var reader = DER(entry)
      guard reader.next(DER.Tag.objectIdentifier).map(Array.init) == identifier else {
        kept += DER.element(DER.Tag.sequence, Array(entry))
        continue
      }
      _ = reader.next(DER.Tag.boolean)
      guard let value = reader.next(DER.Tag.octetString) else { return nil }
      found.append(value)
    }
    guard found.count == 1, let tail = rest(of: &parts) else { return nil }
    let extensions = DER.element(
      DER.Tag.extensions, DER.element(DER.Tag.sequence, kept))
    let all = DER.element(
      DER.Tag.sequence, DER.element(DER.Tag.sequence, before, extensions), tail)
    return (all, found[0])
  }

  /// The algorithm and the signature.
  private static func rest(of parts: inout DERReader) -> [UInt8]? {
    guard let algorithm = parts.next(DER.Tag.sequence),
      let signature = parts.next(DER.Tag.bitString), parts.nextTag == nil
    else { return nil }
    return DER.element(DER.Tag.sequence, Array(algorithm))
      + DER.element(DER.Tag.bitString, Array(signature))
  }

  /// What is permitted; nil: something is excluded, or of a kind that is not held here.
  private static func permitted(_ constraints: ArraySlice<UInt8>) -> Permitted? {
    var outer = DER(constraints)
    guard var both = outer.next(DER.Tag.sequence).map({ DER($0) }),
      var trees = both.next(0xA0).map({ DER($0) }), both.nextTag == nil
    else { return nil }
    var permitted = Permitted()
    while trees.nextTag != nil {
      guard var tree = trees.next(DER.Tag.sequence).map({ DER($0) }), let tag = tree.nextTag,
        let base = tree.next(tag).map(Array.init), tree.nextTag == nil
      else { return nil }
      switch tag {
      case 0x82:
        // A dot in front is of no certificate's names (RFC 5280 §4.2.1.10); TLS knows what to do with it.
        guard let name = String(validating: base, as: UTF8.self), !name.hasPrefix("."),
          !name.isEmpty
        else { return nil }
        permitted.names.append(name.lowercased())
      case 0x87 where base.count == 8 || base.count == 32:
        let half = base.count / 2
        permitted.networks.append((Array(base[..<half]), Array(base[half...])))
      default: return nil
      }
    }
    return permitted
  }
}
