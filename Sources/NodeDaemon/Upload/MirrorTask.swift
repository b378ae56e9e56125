internal import Remote
internal import WebService

/// One voice message on its way to the service: three calls, each known by what was kept of the last one.
///
/// Sans-I/O: ``request(_:)`` says what to ask next, ``take(_:_:)`` what comes of the answer. A value, kept before each
/// call, so that a node that was killed goes on where it was.
struct MirrorTask: Codable, Hashable, Sendable {
  /// What has been done.
  enum Stage: Codable, Hashable, Sendable {
    /// Nothing.
    case wanted
    /// The service gave an address.
    case asked(url: String, headers: [String: String])
    /// The sound is there; it may have been sent already if an answer was lost.
    case uploaded(url: String, mayBeSent: Bool)
  }

  /// What the message is.
  struct Clip: Hashable, Sendable {
    /// The sound, Ogg Opus.
    var file: [UInt8]
    var seconds: Double
  }

  /// What is done next.
  enum Outcome: Hashable, Sendable {
    /// Goes on at once.
    case next
    /// The message is there.
    case sent
    /// It never will be, why in words.
    case refused(String)
    /// Later, why in words; `isSlow` where people have to do something first.
    case later(String, isSlow: Bool)
  }

  /// The message's number here.
  let number: Int64
  /// What the service calls its conversation.
  let remote: String
  private(set) var stage = Stage.wanted
  /// How often an address was of no use.
  private var spent = 0

  private static let type = "audio/ogg"
  private static let mostSpent = 3

  init(_ number: Int64, of remote: String) { (self.number, self.remote) = (number, remote) }

  // MARK: What to ask

  private struct AddressWish: Encodable {
    private enum CodingKeys: String, CodingKey {
      case fileName = "file_name"
      case fileSize = "file_size"
      case mimeType = "mime_type"
    }
    var fileName: String, fileSize: Int, mimeType: String
  }

  private struct SoundWish: Encodable {
    private enum CodingKeys: String, CodingKey {
      case audioURL = "audio_url"
      case duration
      case fileSize = "file_size"
      case mimeType = "mime_type"
    }
    var audioURL: String, duration: Double, fileSize: Int, mimeType: String
  }

  private struct Address: Decodable {
    var url: String, headers: [String: String]?
  }

  /// The request that is due; nil: the service's address cannot be asked.
  ///
  /// - Parameters:
  ///   - base: the service.
  ///   - token: lets this node in; the address for the sound needs none, and gets none.
  mutating func request(_ clip: Clip, at base: WebPlace, token: String) -> WebRequest? {
    var request: WebRequest
    switch stage {
    case .wanted:
      request = WebRequest(.post, base, "\(path)/upload-url")
      request.content = Self.octets(
        AddressWish(
          fileName: "message-\(number).ogg", fileSize: clip.file.count, mimeType: Self.type))
    case .asked(let url, let headers):
      guard let put = Self.put(url, headers, from: base) else { return nil }
      request = put
      request.content = clip.file
      return request
    case .uploaded(let url, _):
      request = WebRequest(.post, base, path)
      request.content = Self.octets(
        SoundWish(
          audioURL: url, duration: clip.seconds, fileSize: clip.file.count, mimeType: Self.type))
      stage = .uploaded(url: url, mayBeSent: true)
    }
    request.headers = [
      ("Content-Type", "application/json"), ("Authorization", "Bearer \(token)"),
    ]
    return request
  }

  private static func octets(_ value: some Encodable) -> [UInt8] {
    // Texts and numbers, which can always be written.
    (try? JSONLine.encode(value)) ?? []
  }

  private var path: String {
    "/conversations/\(PercentEncoding.text(remote))/messages/audio"
  }

  /// The sound goes where the service says, but for a way that is less safe than that to the service itself.
  private static func put(
    _ url: String, _ headers: [String: String], from base: WebPlace
  ) -> WebRequest? {
    let cut = url.firstIndex(of: "?") ?? url.endIndex
    guard url.utf8.count <= 4096, headers.count <= 16,
      url[cut...].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let place = try? WebPlace(String(url[..<cut])), place.isSecure || !base.isSecure
    else { return nil }
    var request = WebRequest(.put, place, String(url[cut...]))
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      guard
        !["host", "content-length", "connection", "transfer-encoding"]
          .contains(name.lowercased()), Self.isField(name, value)
      else { continue }
      request.headers.append((name, value))
    }
    return request
  }

  private static func isField(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 128 && value.utf8.count <= 1024
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
      && value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  // MARK: What comes of it

  /// No address that can be used was given.
  mutating func refuseAddress() -> Outcome {
    renew(or: "the service gives addresses for uploads that cannot be used")
  }

  /// Takes the outcome of ``request(_:)``.
  mutating func take(_ answer: Result<WebAnswer, WebFault>) -> Outcome {
    let status: Int
    switch answer {
    case .failure(let fault):
      return .later("the service cannot be reached: \(fault)", isSlow: false)
    case .success(let answer):
      status = answer.status
      if (200...299).contains(status) { return accept(answer.content) }
    }
    // Nobody knows what a server did that failed.
    if case .uploaded(let url, true) = stage, (400...499).contains(status), status != 404 {
      stage = .uploaded(url: url, mayBeSent: false)
    }
    switch status {
    case 401:
      return .later(
        "the service does not know our token (401); see upload-token-file", isSlow: true)
    case 413: return .refused("it is too large for the service (413)")
    case 400, 415, 422:
      return .refused("the service cannot read it (\(status)): damaged, or of no kind it takes")
    case 403, 404, 409, 410: return doubt(status)
    case 429: return .later("the service is asked too often (429)", isSlow: false)
    case 507: return .later("the service has no room left (507)", isSlow: true)
    default: return .later("the service failed (\(status))", isSlow: false)
    }
  }

  private mutating func accept(_ content: [UInt8]) -> Outcome {
    switch stage {
    case .wanted:
      guard let address = try? JSONLine.decode(Address.self, from: content) else {
        return .later("the service gives no address for the upload", isSlow: true)
      }
      stage = .asked(url: address.url, headers: address.headers ?? [:])
      return .next
    case .asked(let url, _):
      stage = .uploaded(url: url, mayBeSent: false)
      return .next
    case .uploaded: return .sent
    }
  }

  /// Not permitted, not there, or not now: what that means depends on what was asked.
  private mutating func doubt(_ status: Int) -> Outcome {
    switch stage {
    case .wanted where status == 404:
      return .later(
        "the service has no conversation \(remote) (404); see upload-from", isSlow: true)
    case .wanted: return Self.forbidden(status)
    case .asked: return renew(or: "the service does not take the sound (\(status))")
    case .uploaded(_, true) where status == 404:
      // An answer was lost, and the upload is known no more: once too few, rather than twice.
      return .refused("the service lost its answer; look there whether the message came")
    case .uploaded where status == 403: return Self.forbidden(status)
    case .uploaded: return renew(or: "the service does not find the sound (\(status))")
    }
  }

  private static func forbidden(_ status: Int) -> Outcome {
    .later("the service does not permit it (\(status)); our token needs more rights", isSlow: true)
  }

  /// Begins anew, a few times.
  private mutating func renew(or words: String) -> Outcome {
    stage = .wanted
    spent += 1
    guard spent >= Self.mostSpent else { return .next }
    spent = 0
    return .later(words, isSlow: true)
  }
}
