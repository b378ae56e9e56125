/// What a group can be called.
public enum GroupName {
  /// The most octets of a name, in UTF-8.
  public static let byteLimit = 63

  /// Throws words about a name that will not do.
  public static func check(_ name: String) throws(CryptoError) {
    guard (1...byteLimit).contains(name.utf8.count) else {
      throw .groupName(reason: "it must have 1 to \(byteLimit) bytes")
    }
    guard name.first != " ", name.last != " " else {
      throw .groupName(reason: "it must not begin or end with a blank")
    }
    let isPrintable = name.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
      default: true
      }
    }
    guard isPrintable else { throw .groupName(reason: "it has characters that cannot be seen") }
  }
}
