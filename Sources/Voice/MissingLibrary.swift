/// Why an engine's library is not there, in words.
public struct MissingLibrary: Error, Sendable {
  /// What was tried and what to do.
  public let words: String

  /// It was not looked for.
  static let unwanted = MissingLibrary(words: "")

  /// What the first of the names gives that can be opened.
  ///
  /// - Parameters:
  ///   - open: opens one, or writes why not to so many bytes.
  ///   - words: what to say with the reason that the first gave.
  static func first(
    of names: [String],
    _ open: (String, UnsafeMutablePointer<CChar>?, Int32) -> OpaquePointer?,
    orThrow words: (String) -> String
  ) throws(MissingLibrary) -> OpaquePointer {
    var reason = ""
    for name in names {
      var text = [CChar](repeating: 0, count: 200)
      let found = unsafe text.withUnsafeMutableBufferPointer { text in
        unsafe open(name, text.baseAddress, Int32(text.count))
      }
      if let found = unsafe found { return unsafe found }
      guard reason.isEmpty else { continue }
      let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      reason = String(decoding: bytes, as: UTF8.self)
    }
    throw MissingLibrary(words: words(reason))
  }
}
