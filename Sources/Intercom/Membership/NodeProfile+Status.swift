public import Mesh

/// What a status tells of a profile; nil where the node says nothing.
extension NodeProfile {
  /// What it is for.
  public var shownRole: String? { role.isEmpty ? nil : role }
  /// Its daemon's version.
  public var shownVersion: String? { softwareVersion.isEmpty ? nil : softwareVersion }
  /// Its colour as six hexadecimal digits.
  public var shownColour: String? {
    colourRGB.map { colour in
      let digits = String(colour & 0xFF_FFFF, radix: 16)
      return String(repeating: "0", count: 6 - digits.count) + digits
    }
  }
}
