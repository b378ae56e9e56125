internal import NIOCore
internal import NIOHTTP1

/// Decides what is answered without TLS: how a phone gets to trust the page, and nothing else but the way to it.
struct TrustRouter: Sendable {
  let files = PageFiles.trust
  let identity: PageIdentity
  /// The port of the page.
  let port: Int
  /// The node's name, for people.
  let nodeName: String

  /// The answer to a request.
  func answer(_ request: PageRequest) -> PageAnswer {
    guard request.method == .GET || request.method == .HEAD else {
      return .words(.methodNotAllowed, "only GET and HEAD", more: [("Allow", "GET, HEAD")])
    }
    guard let host = request.host, host.isAddress || host.isOne(of: identity.names) else {
      return .words(
        .misdirectedRequest,
        "this node is not called that; open the page by the address that comlink page shows")
    }
    var answer = route(request, host)
    answer.headers += [
      (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      ),
      ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ]
    return answer
  }

  private func route(_ request: PageRequest, _ host: HostName) -> PageAnswer {
    let page = "https://\(host.text):\(port)/"
    guard let authority = identity.authority else {
      return .words(.temporaryRedirect, "the page is at \(page)", more: [("Location", page)])
    }
    switch request.path {
    case "/trust":
      return PageAnswer(
        status: .ok,
        headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
        body: ByteBuffer(string: html(authority, page)))
    case "/comlink.crt":
      return download(authority.certificate, "application/x-x509-ca-cert", "comlink.crt")
    case "/comlink.mobileconfig":
      return download(
        Array(AppleProfile.text(authority).utf8), "application/x-apple-aspen-config",
        "comlink.mobileconfig")
    default: break
    }
    if let file = files[request.path] {
      return .file(file, knownTags: request.headers["If-None-Match"])
    }
    return .words(
      .temporaryRedirect, "the page is at \(page)", more: [("Location", page)])
  }

  private func download(_ octets: [UInt8], _ type: String, _ name: String) -> PageAnswer {
    PageAnswer(
      status: .ok,
      headers: [
        ("Content-Type", type), ("Cache-Control", "no-store"),
        ("Content-Disposition", "attachment; filename=\"\(name)\""),
      ], body: ByteBuffer(bytes: octets))
  }

  private func html(_ authority: PageIdentity.Authority, _ page: String) -> String {
    String(decoding: PackageResources.trust_html, as: UTF8.self)
      .replacing("{{node}}", with: Self.escaped(nodeName))
      .replacing("{{authority}}", with: Self.escaped(authority.name))
      .replacing("{{fingerprint}}", with: authority.fingerprintText)
      .replacing("{{page}}", with: Self.escaped(page))
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

/// An authority as Apple's devices take it (Configuration Profile Reference, com.apple.security.root).
enum AppleProfile {
  /// The profile's text.
  static func text(_ authority: PageIdentity.Authority) -> String {
    let (outer, inner) = (uuid(authority, 0), uuid(authority, 16))
    let name = authority.name
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict>
      <key>PayloadContent</key><array><dict>
      <key>PayloadCertificateFileName</key><string>comlink.crt</string>
      <key>PayloadContent</key><data>\(base64(authority.certificate))</data>
      <key>PayloadDisplayName</key><string>\(name)</string>
      <key>PayloadIdentifier</key><string>comlink.authority.\(inner)</string>
      <key>PayloadType</key><string>com.apple.security.root</string>
      <key>PayloadUUID</key><string>\(inner)</string>
      <key>PayloadVersion</key><integer>1</integer>
      </dict></array>
      <key>PayloadDescription</key><string>Trusts the pages of this crew's stations, in local networks only.</string>
      <key>PayloadDisplayName</key><string>\(name)</string>
      <key>PayloadIdentifier</key><string>comlink.profile.\(outer)</string>
      <key>PayloadRemovalDisallowed</key><false/>
      <key>PayloadType</key><string>Configuration</string>
      <key>PayloadUUID</key><string>\(outer)</string>
      <key>PayloadVersion</key><integer>1</integer>
      </dict></plist>

      """
  }

  /// The same for the same authority, so that a second download replaces the first.
  private static func uuid(_ authority: PageIdentity.Authority, _ offset: Int) -> String {
    let digits = authority.fingerprint[offset..<(offset + 16)].map(\.digits).joined()
    var (text, rest) = ("", digits[...])
    for count in [8, 4, 4, 4, 12] {
      text += (text.isEmpty ? "" : "-") + rest.prefix(count)
      rest = rest.dropFirst(count)
    }
    return text
  }

  /// RFC 4648 §4.
  static func base64(_ octets: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: octets.count, by: 3) {
      let part = octets[start..<min(start + 3, octets.count)]
      let bits = part.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
      for index in 0..<4 {
        let digit = Int(bits >> (18 - 6 * UInt32(index)) & 63)
        text.append(index <= part.count ? digits[digit] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
