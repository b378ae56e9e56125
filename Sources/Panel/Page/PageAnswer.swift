internal import NIOCore
internal import NIOHTTP1
internal import Remote

/// What is answered to one request.
struct PageAnswer {
  var status: HTTPResponseStatus
  var headers: [(String, String)] = []
  var body = ByteBuffer()
  /// Whether the connection ends with it.
  var isLast = false

  /// Words for a person.
  static func words(
    _ status: HTTPResponseStatus, _ words: String, more: [(String, String)] = [],
    isLast: Bool = false
  ) -> PageAnswer {
    PageAnswer(
      status: status,
      headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
        + more,
      body: ByteBuffer(string: words + "\n"), isLast: isLast)
  }

  /// A value as JSON.
  static func json(
    _ status: HTTPResponseStatus, _ value: some Encodable, more: [(String, String)] = []
  ) -> PageAnswer {
    guard let line = try? JSONLine.encode(value) else {
      return words(.internalServerError, "the answer cannot be written as JSON")
    }
    return PageAnswer(
      status: status,
      headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + more,
      body: ByteBuffer(bytes: line))
  }

  /// A refusal as JSON, as the control socket words it.
  static func refusal(_ status: HTTPResponseStatus, _ words: String) -> PageAnswer {
    json(status, ControlResponse.error(message: words))
  }

  /// The same, as no browser takes it for anything but what it says it is.
  var fromRest: PageAnswer {
    var answer = self
    answer.headers += [
      ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    return answer
  }

  /// A file, or that the browser has it already.
  static func file(_ file: PageFiles.File, knownTags: [String]) -> PageAnswer {
    let headers = [("ETag", file.tag), ("Cache-Control", "no-cache")]
    let known = knownTags.flatMap { $0.split(separator: ",") }.map {
      $0.trimming(" ").trimmingPrefix("W/")
    }
    guard !known.contains(file.tag[...]) else {
      return PageAnswer(status: .notModified, headers: headers)
    }
    return PageAnswer(
      status: .ok, headers: [("Content-Type", file.type)] + headers, body: file.bytes)
  }
}

extension Substring {
  fileprivate func trimming(_ character: Character) -> Substring {
    var text = self
    while text.first == character { text.removeFirst() }
    while text.last == character { text.removeLast() }
    return text
  }
}

/// One request, as far as answers depend on it.
struct PageRequest {
  var method: HTTPMethod
  /// Without what follows a `?`.
  var path: String
  /// What follows it.
  var query: String
  var headers: HTTPHeaders
  var body: [UInt8] = []
  /// The address that it comes from.
  var address: String

  init(head: HTTPRequestHead, body: [UInt8] = [], address: String) {
    method = head.method
    path = String(head.uri.prefix { $0 != "?" })
    query = String(head.uri.drop { $0 != "?" }.dropFirst())
    headers = head.headers
    self.body = body
    self.address = address
  }

  /// Nil: none, several, or one that is no host's.
  var host: HostName? {
    let hosts = headers["Host"]
    return hosts.count == 1 ? HostName(hosts[0]) : nil
  }

  /// Whether it comes from a page of this very place: what a page from elsewhere makes a browser send has another
  /// origin (RFC 6454 §7), and a program's has none.
  func isOwn(_ host: HostName) -> Bool {
    let origins = headers["Origin"]
    guard origins.count == 1 else { return false }
    let port = host.port.map { $0 == 443 ? "" : ":\($0)" } ?? ""
    return origins[0].lowercased() == "https://\(host.text)\(port)"
  }

  /// Whether the node's own page may have sent it: what changes something has its origin; what only reads has none,
  /// and a browser tells of what another place makes it ask for (W3C Fetch Metadata §2.4).
  func isOfPage(_ host: HostName) -> Bool {
    guard method == .GET || method == .HEAD, headers["Origin"].isEmpty else { return isOwn(host) }
    return headers["Sec-Fetch-Site"].allSatisfy { $0 == "same-origin" }
  }

  /// The value of a cookie (RFC 6265 §5.4); nil: none of that name.
  func cookie(_ name: String) -> String? {
    for header in headers["Cookie"] {
      for pair in header.split(separator: ";") {
        let parts = pair.trimming(" ").split(
          separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == name { return String(parts[1]) }
      }
    }
    return nil
  }
}
