internal import Cryptography
internal import Synchronization

/// Uploads that were asked for: the addresses that a node signs for itself, and what became of each; any thread.
///
/// With a store they lie there: it signs, and says itself what is there.
///
/// States: asked for → being written → there → being sent → sent. Each is of one token and one conversation, ends after
/// ``lifetime``, and ends with this run. The signature (HMAC-SHA-512/256 under a key of this run) holds the method, the
/// upload and its end, so that an address is of use to nobody for anything else.
final class UploadRoom: Sendable {
  /// How long an address can be used.
  static let lifetime = Duration.seconds(900)
  /// Sent ones that are remembered, so that who asks twice sends once.
  private static let mostSent = 1024
  /// Uploads open at a time; those of one token.
  static let most = (ofAll: 32, ofToken: 8)
  private static let path = "/api/v1/uploads/"

  private enum State: Equatable {
    case asked, writing, there, sending
    /// With the number of the message.
    case sent(Int64)
  }

  private struct Upload {
    let owner: String
    let conversation: String
    let type: String
    let byteCount: Int
    let end: ContinuousClock.Instant
    let endUnixSeconds: Int64
    var file: UploadFile?
    var state = State.asked

    /// It takes no more room than a number.
    var isSent: Bool { if case .sent = state { true } else { false } }
  }

  /// What is to be written.
  struct Order {
    let id: String
    let byteCount: Int
    let file: UploadFile
  }

  /// What is to be sent.
  enum Draft {
    case file(UploadFile, byteCount: Int)
    /// What the store has.
    case stored(byteCount: Int)
    /// It was, as this message.
    case sent(Int64)
  }

  private let key: [UInt8]
  private let directory: String
  let store: (any UploadStore)?
  private let uploads = Mutex<[String: Upload]>([:])

  init(directory: String, store: (any UploadStore)? = nil) {
    (self.directory, self.store) = (directory, store)
    key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
  }

  /// Takes a place.
  ///
  /// - Parameter origin: the node's, as its caller names it.
  /// - Returns: where to PUT it, what headers it is to have, and when that ends.
  func ask(
    by owner: String, for conversation: String, type: String, byteCount: Int, origin: String = "",
    unixSeconds: Int64, now: ContinuousClock.Instant = .now
  ) throws(RestFault) -> (url: String, headers: [String: String], endUnixSeconds: Int64) {
    guard let id = try? AccessToken.make(byteCount: 16) else {
      throw RestFault(.failed, "the system has no random numbers; try again")
    }
    let upload = Upload(
      owner: owner, conversation: conversation, type: type, byteCount: byteCount,
      end: now + Self.lifetime,
      endUnixSeconds: unixSeconds + Int64(Self.lifetime / .seconds(1)))
    let isTaken = uploads.withLock { uploads in
      uploads = uploads.filter { $0.value.end > now }
      let open = uploads.values.filter { !$0.isSent }
      guard open.count < Self.most.ofAll,
        open.count(where: { $0.owner == owner }) < Self.most.ofToken
      else { return false }
      let sent = uploads.filter(\.value.isSent)
      if sent.count >= Self.mostSent, let oldest = sent.min(by: { $0.value.end < $1.value.end }) {
        uploads[oldest.key] = nil
      }
      uploads[id] = upload
      return true
    }
    guard isTaken else {
      throw RestFault(.tooMany, "too many uploads are open; send or leave them, then ask again")
    }
    let end = upload.endUnixSeconds
    if let store {
      let seconds = Int(Self.lifetime / .seconds(1))
      let (url, headers) = store.address(
        of: id, type: type, byteCount: byteCount, seconds: seconds)
      return (url, headers, end)
    }
    let address = "\(Self.path)\(id)?expires=\(end)&signature=\(signature(id, end))"
    return (origin + address, ["Content-Type": type], end)
  }

  private func signature(_ id: String, _ end: Int64) -> String {
    let octets = Array("comlink upload 1\nPUT\n\(id)\n\(end)".utf8)
    let key = key
    let tag = unsafe Digest.hmacSHA512(octets.span.bytes, key: key.span.bytes)
    return Digest.hexadecimal(tag.prefix(32))
  }

  /// Somebody is about to write an upload; ``written(_:isWhole:)`` ends that.
  ///
  /// - Parameters:
  ///   - type: that of the request; nil: it has none.
  ///   - byteCount: as the request says; nil: it does not.
  func begin(
    _ id: String, _ query: [String: String], type: String?, byteCount: Int?,
    now: ContinuousClock.Instant = .now
  ) throws(RestFault) -> Order {
    let refusal = RestFault(
      .forbidden, "this address is not signed by this node, or is over; ask for another")
    guard let end = query["expires"].flatMap({ Int64($0) }), let given = query["signature"],
      Group.isSame(Array(given.utf8), Array(signature(id, end).utf8))
    else { throw refusal }
    let outcome = uploads.withLock { uploads in
      Result { () throws(RestFault) in
        guard var upload = uploads[id], upload.end > now, upload.endUnixSeconds == end else {
          throw refusal
        }
        guard type == nil || type == upload.type else {
          throw RestFault(.unsupportedMedia, "the address is for \(upload.type); send that type")
        }
        guard byteCount.map({ $0 <= upload.byteCount }) ?? true else {
          throw RestFault(
            .tooLarge, "the address is for \(upload.byteCount) bytes; ask for one for more")
        }
        guard upload.state == .asked || upload.state == .there else {
          throw RestFault(.conflict, "it is being uploaded, or was sent; ask for another address")
        }
        // Another each time: what broke off may still be written to the former.
        let file = UploadFile(in: directory)
        (upload.file, upload.state) = (file, .writing)
        uploads[id] = upload
        return Order(id: id, byteCount: upload.byteCount, file: file)
      }
    }
    return try outcome.get()
  }

  /// The upload is there, or has to come anew.
  func written(_ id: String, isWhole: Bool) {
    uploads.withLock { uploads in
      if uploads[id]?.state == .writing { uploads[id]?.state = isWhole ? .there : .asked }
    }
  }

  /// Somebody is about to send it; ``sent(_:as:)`` ends that.
  func take(
    _ address: String, by owner: String, for conversation: String, byteCount: Int?,
    now: ContinuousClock.Instant = .now
  ) throws(RestFault) -> (id: String, Draft) {
    let place = address.prefix { $0 != "?" }
    let id = String(
      place.suffix(from: place.lastIndex(of: "/").map(place.index(after:)) ?? place.startIndex))
    guard store.map({ $0.place(of: id) == place }) ?? place.hasSuffix(Self.path + id) else {
      throw RestFault(.unprocessable, "audio_url is no address of an upload; send the one you got")
    }
    let isStored = store != nil
    let outcome = uploads.withLock { uploads in
      Result { () throws(RestFault) in
        guard let upload = uploads[id], upload.end > now, upload.owner == owner,
          upload.conversation == conversation
        else {
          throw RestFault(.notFound, "there is no such upload for this conversation; upload again")
        }
        if case .sent(let number) = upload.state { return (id, Draft.sent(number)) }
        // Whether it is there, the store knows alone.
        guard upload.state == (isStored ? .asked : .there) else {
          throw RestFault(.conflict, "the audio is not all there yet; PUT it first")
        }
        guard byteCount == nil || byteCount == upload.byteCount else {
          throw RestFault(
            .unprocessable, "file_size is not that of the upload, \(upload.byteCount) bytes")
        }
        uploads[id]?.state = .sending
        guard let file = upload.file else {
          return (id, Draft.stored(byteCount: upload.byteCount))
        }
        return (id, Draft.file(file, byteCount: upload.byteCount))
      }
    }
    return try outcome.get()
  }

  /// How the sending went.
  ///
  /// - Parameter number: of the message; nil: it was not sent, and can be tried again.
  func sent(_ id: String, as number: Int64?) {
    uploads.withLock { uploads in
      guard uploads[id]?.state == .sending else { return }
      uploads[id]?.state = number.map { .sent($0) } ?? (store == nil ? .there : .asked)
      if number != nil { uploads[id]?.file = nil }
    }
  }
}
