internal import Cryptography
internal import NIOCore

/// The page's files, compiled in: nothing is read from a disk.
struct PageFiles: Sendable {
  /// One of them.
  struct File: Sendable {
    /// Its media type.
    let type: String
    let bytes: ByteBuffer
    /// Differs whenever the octets do; with its quotes.
    let tag: String
  }

  private let files: [String: File]

  /// Octets of all of them.
  var byteCount: Int { files.values.reduce(0) { $0 + $1.bytes.readableBytes } }

  /// Their paths.
  var paths: [String] { files.keys.sorted() }

  /// The files of these paths.
  init(_ contents: [(path: String, octets: [UInt8])]) {
    files = Dictionary(
      uniqueKeysWithValues: contents.map { path, octets in
        let tag = unsafe Digest.sha256(octets.span.bytes).prefix(8).map(\.digits).joined()
        let file = File(
          type: Self.type(of: path), bytes: ByteBuffer(bytes: octets), tag: "\"\(tag)\"")
        return (path, file)
      })
  }

  /// The file of a path; nil: there is none.
  subscript(path: String) -> File? { files[path] }

  /// Those of the page.
  static let page = PageFiles([
    ("/", PackageResources.index_html),
    ("/page.css", PackageResources.page_css),
    ("/main.js", PackageResources.main_js),
    ("/link.js", PackageResources.link_js),
    ("/words.js", PackageResources.words_js),
    ("/dom.js", PackageResources.dom_js),
    ("/stations.js", PackageResources.stations_js),
    ("/talk.js", PackageResources.talk_js),
    ("/messages.js", PackageResources.messages_js),
    ("/captions.js", PackageResources.captions_js),
    ("/keys.js", PackageResources.keys_js),
    ("/guest.js", PackageResources.guest_js),
    ("/microphone.js", PackageResources.microphone_js),
    ("/health.js", PackageResources.health_js),
    ("/settings.js", PackageResources.settings_js),
    ("/assistant.js", PackageResources.assistant_js),
    ("/sound.js", PackageResources.sound_js),
    ("/icon.svg", PackageResources.icon_svg),
    ("/page.webmanifest", PackageResources.page_webmanifest),
  ])

  /// Those of the door without TLS.
  static let trust = PageFiles([("/trust.css", PackageResources.trust_css)])

  private static func type(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "webmanifest": "application/manifest+json"
    default: "text/html; charset=utf-8"
    }
  }
}
