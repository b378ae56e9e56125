internal import EventLoop

/// What the user set of the page for phones.
struct PageSettings: Hashable, Sendable {
  /// Where phones get the certificate authority to trust.
  enum Trust: Hashable, Sendable {
    /// Beside the page, at ``standardTrustPort``.
    case auto
    /// Nowhere.
    case off
    case place(HostAndPort)

    /// As the setting is written.
    var text: String {
      switch self {
      case .auto: "auto"
      case .off: "off"
      case .place(let place): place.text
      }
    }
  }

  /// The port of the authority's door.
  static let standardTrustPort: UInt16 = 8080

  /// Where the page is; nil: there is none.
  var place: HostAndPort?
  var trust = Trust.auto
  /// The paths of the user's own certificate and its key; empty: the crew's authority makes one.
  var certificate = ""
  var key = ""

  /// Throws the first setting that does not go with the others.
  func check() throws(SettingConflict) {
    guard certificate.isEmpty == key.isEmpty else {
      throw certificate.isEmpty
        ? SettingConflict(.pageKey, "is of no use without page-certificate; set both or none")
        : SettingConflict(.pageCertificate, "needs its private key; set page-key, too")
    }
    if case .place(let place) = trust, place == self.place, place.port != 0 {
      throw SettingConflict(.pageTrust, "is the page's own address; give it another port")
    }
  }

  /// Where the authority is handed over: host and port; nil: nowhere.
  var trustPlace: (host: String, port: Int)? {
    switch trust {
    case .off: nil
    case .auto where !certificate.isEmpty: nil
    case .auto: place.map { ($0.host, Int(Self.standardTrustPort)) }
    case .place(let place): (place.host, Int(place.port))
    }
  }
}
