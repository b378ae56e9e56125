/// The two halves of an `ADDRESS:PORT` text, before anything is known of the host but its brackets.
struct HostAndPort {
  let text: String
  let host: String
  let isBracketed: Bool
  let port: UInt16

  init(_ text: String) throws(AddressError) {
    self.text = text
    isBracketed = text.hasPrefix("[")
    let portText: Substring
    if isBracketed {
      guard let end = text.lastIndex(of: "]") else { throw .malformedBrackets(text: text) }
      let rest = text[text.index(after: end)...]
      guard !rest.isEmpty else { throw .noPort(text: text) }
      guard rest.hasPrefix(":") else { throw .malformedBrackets(text: text) }
      host = String(text[text.index(after: text.startIndex)..<end])
      portText = rest.dropFirst()
    } else {
      guard let colon = text.lastIndex(of: ":") else { throw .noPort(text: text) }
      host = String(text[..<colon])
      portText = text[text.index(after: colon)...]
      guard !host.contains(":") else { throw .missingBrackets(text: text) }
    }
    guard !portText.isEmpty else { throw .noPort(text: text) }
    guard !host.isEmpty else { throw .noHost(text: text) }
    port = try Self.port(String(portText), in: text)
  }

  private static func port(_ port: String, in text: String) throws(AddressError) -> UInt16 {
    guard port.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
      throw .malformedPort(text: text, port: port)
    }
    guard let number = UInt16(port) else { throw .portOutOfRange(text: text, port: port) }
    return number
  }
}
