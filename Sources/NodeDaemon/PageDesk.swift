internal import ControlSocket
internal import Cryptography
internal import EventLoop
internal import Glibc
internal import Logging
internal import Panel
internal import Remote
internal import Store
internal import Synchronization

/// The node's page for phones: where it is, who it is to browsers, and who may use it.
///
/// A page that cannot be is logged, and no reason not to talk. Any thread.
final class PageDesk: Sendable {
  /// How often the certificate is looked at: it lasts for months, and changes of the network are told.
  private static let renewal = Duration.seconds(6 * 3600)

  private struct Running {
    var page: Page
    var identity: PageIdentity
    var watch: NetworkWatch?
    var renewing: Task<Void, Never>
  }

  let access: PageAccess
  let tokens: PageTokens
  private let settings: PageSettings
  private let store: S3Store?
  private let state: NodeState
  private let log: Logger
  private let running = Mutex<Running?>(nil)

  /// Goes on with those who were signed in in the former run.
  ///
  /// - Parameter store: where programs upload voice messages to; nil: to this node.
  init(_ settings: PageSettings, _ state: NodeState, store: S3Store? = nil, log: Logger) {
    self.settings = settings
    self.store = store
    self.state = state
    self.log = log
    access = PageAccess(state.page.sessions.records)
    tokens = PageTokens(state.tokens.holders.records)
  }

  /// Opens the page, where it is wanted.
  func start(
    nodeName: String, handler: any ControlHandler, guests: any GuestHost, rest: NodeRest
  ) async {
    guard let place = settings.place else { return }
    do throws(PanelError) {
      let identity = try identity()
      let page = try await Page(
        at: Page.Place(host: place.host, port: Int(place.port)),
        trustAt: settings.trustPlace.map { Page.Place(host: $0.host, port: $0.port) },
        identity: identity, nodeName: nodeName, access: access, handler: handler,
        guests: guests,
        rest: RestDesk(
          rest.messages, tokens, assistant: rest.assistant, directory: uploadDirectory,
          store: store))
      if let problem = page.trustProblem {
        log.event(.pageTrustFailed, "--page-trust: \(problem)")
      }
      let renewing = Task { [weak self] in
        while (try? await Task.sleep(for: Self.renewal)) != nil { self?.renew() }
      }
      let watch = NetworkWatch { [weak self] in self?.renew() }
      running.withLock {
        $0 = Running(page: page, identity: identity, watch: watch, renewing: renewing)
      }
      log.event(.page, "page", ["address": "\(addresses(of: page.port, identity).first ?? "")"])
    } catch {
      log.event(.pageFailed, "--page: \(error)")
    }
  }

  /// Groups, names, addresses or the day may have changed.
  func renew() {
    do throws(PanelError) {
      let identity = try identity()
      try running.withLock { running throws(PanelError) in
        guard running?.identity != identity else { return }
        try running?.page.show(identity)
        running?.identity = identity
      }
    } catch {
      log.event(.pageFailed, "--page: \(error)")
    }
  }

  /// Closes it.
  func stop() async {
    guard let last = running.withLock({ $0.take() }) else { return }
    last.watch?.stop()
    last.renewing.cancel()
    await last.page.stop()
    await store?.stop()
  }

  /// Carries out a request about who may use it.
  func handle(_ request: ControlRequest) -> ControlResponse {
    switch request {
    case .pageInvite(let rights, let name): return invite(rights, name)
    case .pageList: return .pageSessions(access.sessions)
    case .pageRevoke(let who):
      let count = access.revoke(who)
      guard count > 0 || who == nil else {
        return .error(
          message: "nobody of that name or ID is signed in: comlink page list shows who")
      }
      return .done(note: "signed out: \(count)")
    default: return .error(message: "not a request about the page")
    }
  }

  /// Carries out a request about tokens for programs.
  func handle(_ request: PageTokenRequest) -> ControlResponse {
    switch request {
    case .list: return .pageSessions(tokens.holders)
    case .revoke(let who):
      let count = tokens.revoke(who)
      guard count > 0 || who == nil else {
        return .error(
          message: "no token has that name or ID: comlink page token list shows them")
      }
      return .done(note: count == 1 ? "1 token revoked" : "\(count) tokens revoked")
    case .new(let name, let rights):
      do throws(PageTokens.Refusal) {
        return .pageToken(SecretText(try tokens.issue(to: name, rights)))
      } catch {
        return .error(message: "\(error)")
      }
    }
  }

  /// Where files lie while they are uploaded: beside what the node keeps, or for this run.
  private var uploadDirectory: String {
    state.problem == nil ? state.directory ?? "/tmp" : "/tmp"
  }

  private func invite(_ rights: PageRights, _ name: String?) -> ControlResponse {
    // Whoever is invited is to find the node as it is called now.
    renew()
    let open = running.withLock { running in
      running.map { ($0.identity, $0.page.port, $0.page.trustPort) }
    }
    guard let (identity, port, trustPort) = open else {
      let words =
        settings.place == nil
        ? "the page is off: start comlinkd with --page [::]:8443, or set page in comlink.toml"
        : "the page could not be opened: comlinkd's log says why"
      return .error(message: words)
    }
    do throws(CryptoError) {
      let (token, seconds) = try access.invite(rights: rights, name: name)
      var invitation = PageInvitation(
        addresses: addresses(of: port, identity).map { "https://\($0)/" },
        trustAddresses: trustPort.map { port in
          identity.authority == nil
            ? [] : addresses(of: port, identity).map { "http://\($0)/trust" }
        } ?? [], token: token, seconds: seconds)
      invitation.authority = identity.authority?.name
      invitation.authorityFingerprint = identity.authority?.fingerprintText
      return .pageInvitation(invitation)
    } catch {
      return .error(message: "\(error)")
    }
  }

  /// Who the page is to browsers now.
  private func identity() throws(PanelError) -> PageIdentity {
    let names = LocalPlace.names
    guard settings.certificate.isEmpty else {
      return PageIdentity(
        certificate: .files(certificate: settings.certificate, privateKey: settings.key),
        authority: nil, names: names)
    }
    do throws(CryptoError) {
      let authority = try Self.authority(of: state)
      let key = try state.pageKey(for: .node)
      let leaf = try authority.leaf(
        for: key, names: names, addresses: LocalPlace.addresses.map(\.octets),
        unixSeconds: Int64(time(nil)))
      return PageIdentity(
        certificate: .made(certificate: leaf, privateKey: key.privateKeyDER),
        authority: PageIdentity.Authority(
          name: authority.name, certificate: authority.certificate), names: names)
    } catch {
      throw .certificate(words: "no certificate: \(error)")
    }
  }

  /// That of the first group; a node without one is a crew by itself.
  private static func authority(of state: NodeState) throws(CryptoError) -> PageAuthority {
    guard let group = state.groups.first else {
      return try PageAuthority(
        key: state.pageKey(for: .authority), words: Array(state.id.words.prefix(Group.wordCount)))
    }
    return try PageAuthority(key: group.pageKey(), words: group.words)
  }

  /// `HOST:PORT` of every name and address at which it can be reached, the best first.
  private func addresses(of port: Int, _ identity: PageIdentity) -> [String] {
    guard let place = settings.place else { return [] }
    guard LocalPlace.isAny(place.host) else {
      return [LocalPlace.text(place.host, port: port)]
    }
    let addresses = LocalPlace.addresses.filter { !$0.isLoopback && !$0.isLinkLocal }
    return identity.names.filter { $0.hasSuffix(".local") }.map { "\($0):\(port)" }
      + addresses.map { LocalPlace.text($0.text, port: port) }
  }
}

/// How this machine can be reached.
enum LocalPlace {
  /// An address of one of its interfaces.
  struct Address: Hashable {
    var text: String
    /// 4 or 16 octets.
    var octets: [UInt8]
    var isLoopback: Bool
    var isLinkLocal: Bool { octets.starts(with: [0xFE, 0x80]) || octets.starts(with: [169, 254]) }
  }

  /// Its host names: by mDNS (RFC 6762), as it is called itself, and by loopback.
  static var names: [String] {
    let host = Surroundings.ownHostName.lowercased()
    let label = host.prefix { $0 != "." }
    guard !label.isEmpty else { return ["localhost"] }
    var names = ["\(label).local", String(label), "localhost"]
    if !names.contains(host) { names.insert(host, at: 1) }
    return names
  }

  /// Every address of every interface that is up, IPv4 first.
  static var addresses: [Address] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { return [] }
    defer { unsafe freeifaddrs(first) }
    var all: [Address] = []
    var next = unsafe first
    while let entry = unsafe next?.pointee {
      unsafe next = entry.ifa_next
      guard unsafe entry.ifa_flags & UInt32(IFF_UP) != 0, let address = unsafe entry.ifa_addr,
        let octets = unsafe octets(of: address)
      else { continue }
      let isLoopback = unsafe entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0
      all.append(Address(text: text(of: octets), octets: octets, isLoopback: isLoopback))
    }
    return all.sorted { ($0.octets.count, $0.text) < ($1.octets.count, $1.text) }
  }

  /// Whether it is "all addresses".
  static func isAny(_ host: String) -> Bool { host == "::" || host == "0.0.0.0" }

  /// As a URL has it.
  static func text(_ host: String, port: Int) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  private static func octets(of address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
    let raw = UnsafeRawPointer(address)
    switch Int32(unsafe address.pointee.sa_family) {
    case AF_INET:
      let value = unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr
      return unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
    case AF_INET6:
      let value = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
    default: return nil
    }
  }

  private static func text(of octets: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = octets.count == 4 ? AF_INET : AF_INET6
    guard unsafe inet_ntop(family, octets, &text, socklen_t(text.count)) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
