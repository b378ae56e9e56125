internal import NIOCore
internal import NIOHTTP1
internal import Remote

/// Decides what is answered at the page's door; it knows no connection.
struct PageRouter: Sendable {
  /// How long a phone's cookie is kept, as long as browsers do at most.
  private static let cookieSeconds = 400 * 86_400
  /// The most of a request's content.
  static let bodyLimitBytes = 1024
  static let socketPath = "/ws"
  /// Where guests talk and hear.
  static let guestPath = "/voice"
  private static let sessionPath = "/api/v1/session"

  let access: PageAccess
  let files = PageFiles.page
  /// The names by which the node may be asked, besides its addresses.
  let names: [String]

  private struct SignIn: Decodable {
    var token: String
    var name: String?
  }

  private struct Me: Encodable {
    var ok = true
    var name: String
    var rights: PageRights
  }

  /// The answer to a request.
  func answer(_ request: PageRequest) -> PageAnswer {
    guard let host = permittedHost(request) else {
      return .words(
        .misdirectedRequest,
        "this node is not called that; open the page by the address that comlink page shows")
    }
    var answer = route(request, host)
    answer.headers += Self.headers(host)
    return answer
  }

  /// Whether somebody may open a socket, and who it is.
  func admission(_ request: PageRequest) -> Result<PageRecord, PageRefusal> {
    guard let host = permittedHost(request) else { return .failure(.host) }
    guard request.isOwn(host) else { return .failure(.origin) }
    guard let record = session(request, host) else { return .failure(.nobody) }
    guard request.path != Self.guestPath || record.rights >= .talk else {
      return .failure(.silent)
    }
    return .success(record)
  }

  /// The host that a request names; nil: this node is not called that.
  func permittedHost(_ request: PageRequest) -> HostName? {
    guard let host = request.host, host.isAddress || host.isOne(of: names) else { return nil }
    return host
  }

  private func route(_ request: PageRequest, _ host: HostName) -> PageAnswer {
    switch request.path {
    case Self.sessionPath: return session(of: request, host)
    case Self.socketPath, Self.guestPath:
      if case .failure(let refusal) = admission(request) { return refusal.answer }
      // Who may open one and is asked here all the same found no place.
      if request.headers.contains(name: "Upgrade") { return PageRefusal.full.answer }
      return .words(.upgradeRequired, "only WebSockets here", more: [("Upgrade", "websocket")])
    default: break
    }
    guard request.method == .GET || request.method == .HEAD else {
      return .words(.methodNotAllowed, "only GET and HEAD", more: [("Allow", "GET, HEAD")])
    }
    guard let file = files[request.path] else { return .words(.notFound, "nothing is here") }
    return .file(file, knownTags: request.headers["If-None-Match"])
  }

  /// The session: who am I, sign in, sign out.
  private func session(of request: PageRequest, _ host: HostName) -> PageAnswer {
    switch request.method {
    case .GET:
      guard let record = session(request, host) else { return PageRefusal.nobody.answer }
      return .json(.ok, Me(name: record.name, rights: record.rights))
    case .POST, .DELETE:
      guard request.isOwn(host) else { return PageRefusal.origin.answer }
      return request.method == .POST ? signIn(request, host) : signOut(request, host)
    default:
      return .words(
        .methodNotAllowed, "only GET, POST and DELETE", more: [("Allow", "GET, POST, DELETE")])
    }
  }

  private func signIn(_ request: PageRequest, _ host: HostName) -> PageAnswer {
    let body: SignIn
    do throws(RemoteError) {
      body = try JSONLine.decode(SignIn.self, from: request.body)
    } catch {
      return .refusal(.badRequest, "not a sign-in: \(error)")
    }
    do throws(AccessBook.Refusal) {
      let (record, cookie) = try access.signIn(
        token: body.token, name: body.name ?? "", from: request.address)
      return .json(
        .ok, Me(name: record.name, rights: record.rights),
        more: [("Set-Cookie", Self.cookie(host, cookie, seconds: Self.cookieSeconds))])
    } catch .tooManyTries {
      return .refusal(.tooManyRequests, "too many wrong codes; wait a minute")
    } catch {
      return .refusal(
        .forbidden, "this code is not valid any more; run comlink page for a new one")
    }
  }

  private func signOut(_ request: PageRequest, _ host: HostName) -> PageAnswer {
    guard let record = session(request, host) else { return PageRefusal.nobody.answer }
    _ = access.revoke(record.id)
    return .json(
      .ok, ControlResponse.ok, more: [("Set-Cookie", Self.cookie(host, "", seconds: 0))])
  }

  /// Whose cookie a request has; nil: nobody's.
  func session(_ request: PageRequest, _ host: HostName) -> PageRecord? {
    request.cookie(Self.cookieName(host)).flatMap(access.session(cookie:))
  }

  /// Browsers tell cookies of one host apart by name, not by port; `__Host-` (RFC 6265bis §4.1.3) lets no other host
  /// and no plain HTTP set it.
  private static func cookieName(_ host: HostName) -> String {
    "__Host-comlink-\(host.port ?? 443)"
  }

  private static func cookie(_ host: HostName, _ value: String, seconds: Int) -> String {
    "\(cookieName(host))=\(value); Path=/; Max-Age=\(seconds); Secure; HttpOnly; SameSite=Strict"
  }

  /// What every answer says: only what is from here may run or be connected to, and nobody may frame the page.
  private static func headers(_ host: HostName) -> [(String, String)] {
    let port = host.port.map { ":\($0)" } ?? ""
    let policy = """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; \
      manifest-src 'self'; worker-src 'self'; connect-src 'self' wss://\(host.text)\(port); base-uri 'none'; form-action 'none'; \
      frame-ancestors 'none'
      """
    return [
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Embedder-Policy", "require-corp"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Permissions-Policy", "microphone=(self), camera=(), geolocation=()"),
    ]
  }
}

/// Why somebody may not.
enum PageRefusal: Error {
  case host, origin, nobody, full, silent

  /// The same in an answer.
  var answer: PageAnswer {
    switch self {
    case .host: .refusal(.misdirectedRequest, "this node is not called that")
    case .origin:
      .refusal(.forbidden, "only the node's own page may do that; open it by its address")
    case .nobody: .refusal(.unauthorized, "sign in first: run comlink page on the node")
    case .silent:
      .refusal(
        .forbidden, "this phone may only listen; run comlink page --rights talk on the node")
    case .full: .refusal(.serviceUnavailable, "too many pages are open at this node; close one")
    }
  }
}
