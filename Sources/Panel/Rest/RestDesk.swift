internal import Cryptography
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Remote
internal import StatusSchema

/// Decides who may do what by REST, and answers it; it knows no connection.
///
/// Any thread.
///
/// Programs send a bearer token (RFC 6750 §2.1), which no browser sends by itself. The cookie of who is signed in at
/// the page counts in its place where the node's own page sends it: no page from elsewhere can make a browser do
/// anything here, and no answer allows other origins to read it.
public final class RestDesk: Sendable {
  /// What a request may be.
  enum Admission {
    case refused(PageAnswer)
    case call(RestCall)
    case upload(UploadRoom.Order)
  }

  /// The most that a file may have, as voice messages have it.
  static let fileBytes = 10 * 1024 * 1024
  static let fileTypes: Set<String> = [
    "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave", "audio/mpeg", "audio/mp3",
    "audio/ogg", "audio/opus", "application/ogg", "audio/flac", "audio/x-flac", "audio/mp4",
    "audio/m4a", "audio/x-m4a", "audio/aac",
  ]

  private let node: any RestNode
  private let tokens: PageTokens
  private let sessions: RestSessions?
  let uploads: UploadRoom

  /// - Parameters:
  ///   - assistant: nil: there is none.
  ///   - directory: where files lie while they are uploaded; they have no names there.
  ///   - store: where they lie instead; nil: nowhere else.
  public init(
    _ node: any RestNode, _ tokens: PageTokens, assistant: (any RestAssistant)? = nil,
    directory: String, store: (any UploadStore)? = nil
  ) {
    (self.node, self.tokens) = (node, tokens)
    sessions = assistant.map { RestSessions(assistant: $0) }
    uploads = UploadRoom(directory: directory, store: store)
  }

  // MARK: Who may

  /// Judges the head of a request.
  ///
  /// - Parameters:
  ///   - host: as it names the node; nil: it names another.
  ///   - viewer: whose cookie of the page it has; nil: nobody's.
  func admit(_ request: PageRequest, _ host: HostName?, _ viewer: PageRecord?) -> Admission {
    do throws(RestFault) {
      guard let host else {
        throw RestFault(
          .misdirected, "this node is not called that; use an address of comlink page")
      }
      switch RestRoute.match(request.method, request.path) {
      case .nothing: throw RestFault(.notFound, "nothing is here; docs/rest.md has what there is")
      case .methods(let methods):
        let names = methods.map(\.rawValue).joined(separator: ", ")
        var answer = PageAnswer.fault(RestFault(.methodNotAllowed, "only \(names)"))
        answer.headers.append(("Allow", names))
        return .refused(answer)
      case .route(let route, let parameters):
        guard let query = PercentText.parameters(request.query) else {
          throw RestFault(.malformed, "the query is malformed, or names something twice")
        }
        if route == .upload {
          return .upload(
            try uploads.begin(
              parameters[0], query, type: request.mediaType, byteCount: request.contentBytes))
        }
        let sender = try route.rights.map { needed throws(RestFault) in
          let sender = try caller(request, host, viewer)
          guard sender.rights >= needed else { throw Self.lacks(needed, sender.rights) }
          return sender
        }
        try checkContent(of: request, route)
        let port = host.port.map { ":\($0)" } ?? ""
        return .call(
          RestCall(
            route: route, parameters: parameters, query: query, caller: sender,
            isOfPage: request.headers["Authorization"].isEmpty,
            origin: "https://\(host.text)\(port)", path: request.path,
            canBeSentOn: request.method == .GET && request.headers.contains(name: "Authorization"),
            range: request.headers.contains(name: "If-Range")
              ? nil : request.headers.first(name: "Range")))
      }
    } catch {
      return .refused(.fault(error))
    }
  }

  private func caller(
    _ request: PageRequest, _ host: HostName, _ viewer: PageRecord?
  ) throws(RestFault) -> PageRecord {
    let headers = request.headers["Authorization"]
    if headers.isEmpty, let viewer {
      guard request.isOfPage(host) else {
        throw RestFault(
          .forbidden, "only the node's own page may use its cookie; programs send a token")
      }
      return viewer
    }
    guard headers.count == 1, headers[0].lowercased().hasPrefix("bearer "),
      let holder = tokens.holder(of: String(headers[0].dropFirst(7).drop { $0 == " " }))
    else {
      throw RestFault(
        .unauthorized, "send Authorization: Bearer TOKEN; comlink page token new makes one")
    }
    guard !holder.isTooMany else {
      throw RestFault(.tooMany, "too many requests; send fewer a second")
    }
    return holder.record
  }

  private static func lacks(_ needed: PageRights, _ has: PageRights) -> RestFault {
    RestFault(
      .forbidden,
      "this token or phone has the right \(has.rawValue), that needs \(needed.rawValue); "
        + "give --rights to comlink page token new, or to comlink page")
  }

  private func checkContent(of request: PageRequest, _ route: RestRoute) throws(RestFault) {
    guard route.bodyBytes > 0 else {
      guard !request.hasContent else { throw RestFault(.malformed, "that takes no content") }
      return
    }
    guard request.contentBytes ?? 0 <= route.bodyBytes else { throw RestCall.tooLarge }
    guard request.mediaType == "application/json" else {
      throw RestFault(.unsupportedMedia, "send JSON, as Content-Type: application/json")
    }
  }

  // MARK: What is done

  /// Carries out a call.
  func answer(_ call: RestCall, _ body: [UInt8]) async -> PageAnswer {
    do throws(RestFault) {
      let conversation = call.parameters.first ?? ""
      switch call.route {
      case .conversations:
        return .json(.ok, RestBody.Conversations(try await node.conversations()))
      case .messages: return .json(.ok, try await messages(call, of: conversation))
      case .message:
        let message = try await node.message(try number(call), of: conversation)
        return .json(
          .ok, RestBody.Message(message, of: conversation, at: call.messagesPath))
      case .delete:
        try await node.delete(try number(call), of: conversation)
        return .nothing
      case .audio: return try await audio(call, of: conversation)
      case .say:
        let wish = try call.json(RestBody.SayWish.self, body)
        return .json(
          .created,
          RestBody.Created(
            try await node.say(wish.text, isAloud: wish.isAloud ?? false, to: conversation)))
      case .edit, .react, .unreact: return try await change(call, body)
      case .uploadURL:
        return try await uploadAddress(call, try call.json(RestBody.UploadWish.self, body))
      case .sendAudio: return try await send(call, try call.json(RestBody.AudioWish.self, body))
      case .signIn:
        return try pass(tokens.signIn(try call.json(RestBody.SignIn.self, body).token))
      case .refresh:
        return try pass(tokens.refresh(try call.json(RestBody.Refresh.self, body).refreshToken))
      case .startSession, .turn, .endSession, .sessions, .session, .deleteSession:
        guard let sessions else {
          throw RestFault(.notFound, "there is no assistant here")
        }
        return try await sessions.answer(call, body)
      case .upload: throw RestFault(.methodNotAllowed, "only PUT")
      }
    } catch {
      return .fault(error)
    }
  }

  private func pass(_ pass: PageTokens.Pass?) throws(RestFault) -> PageAnswer {
    guard let pass else {
      throw RestFault(
        .unauthorized,
        "this token is nobody's, was used, or is over; sign in with one of "
          + "comlink page token new")
    }
    return .json(
      .ok,
      RestBody.Pass(
        accessToken: pass.access, refreshToken: pass.refresh,
        expiresIn: Int(PassBook.accessTime / .seconds(1))))
  }

  private func number(_ call: RestCall) throws(RestFault) -> Int64 {
    guard let number = Int64(call.parameters[1]), number > 0 else {
      throw RestFault(.notFound, "there is no such message in this conversation")
    }
    return number
  }

  private func messages(
    _ call: RestCall, of conversation: String
  ) async throws(RestFault) -> RestBody.Messages {
    var request = MessageRequest()
    request.with = conversation
    request.search = call.query["search"]
    request.after = try call.number("after", within: 0...Int64.max)
    request.before = try call.number("before", within: 0...Int64.max)
    let range = MessageRequest.limitRange
    let limit = Int(
      try call.number("limit", within: Int64(range.lowerBound)...Int64(range.upperBound)) ?? 50)
    request.limit = limit
    let found = try await node.messages(request)
    return RestBody.Messages(
      messages: found.map { RestBody.Message($0, of: conversation, at: call.messagesPath) },
      nextBefore: found.count == limit ? found.first?.number : nil)
  }

  /// Says something else in a message, or of one.
  private func change(_ call: RestCall, _ body: [UInt8]) async throws(RestFault) -> PageAnswer {
    let (number, conversation) = (try number(call), call.parameters[0])
    let message: MessageStatus
    switch call.route {
    case .edit:
      let text = try call.json(RestBody.Text.self, body).text
      message = try await node.edit(number, of: conversation, to: text)
    case .react:
      let emoji = try call.json(RestBody.Sign.self, body).emoji
      message = try await node.react(to: number, of: conversation, emoji)
    default:
      _ = try await node.react(to: number, of: conversation, nil)
      return .nothing
    }
    return .json(.ok, RestBody.Message(message, of: conversation, at: call.messagesPath))
  }

  /// Where an own message's sound lies in the store, a program is sent there.
  private func audio(
    _ call: RestCall, of conversation: String
  ) async throws(RestFault) -> PageAnswer {
    let number = try number(call)
    let file = try await node.audio(of: number, conversation)
    if call.canBeSentOn, let store = uploads.store,
      try await node.message(number, of: conversation).isOwn,
      let place = await store.link(
        to: Self.hash(of: file), seconds: Int(UploadRoom.lifetime / .seconds(1)))
    {
      return PageAnswer(
        status: .temporaryRedirect, headers: [("Location", place), ("Cache-Control", "no-store")])
    }
    return try ByteRange.answer(file, call.range)
  }

  private static func hash(of file: [UInt8]) -> String {
    unsafe Digest.hexadecimal(Digest.sha256(file.span.bytes))
  }

  private func uploadAddress(
    _ call: RestCall, _ wish: RestBody.UploadWish
  ) async throws(RestFault) -> PageAnswer {
    let type = PageRequest.withoutParameters(wish.mimeType)
    guard Self.fileTypes.contains(type) else {
      throw RestFault(
        .unsupportedMedia,
        "send WAV, MP3, Ogg, FLAC or M4A; mime_type is one of "
          + Self.fileTypes.sorted().joined(separator: ", "))
    }
    guard wish.fileSize > 0 else {
      throw RestFault(.unprocessable, "file_size is the bytes of the file, 1 or more")
    }
    guard wish.fileSize <= Self.fileBytes else {
      throw RestFault(
        .tooLarge, "a voice message has at most \(Self.fileBytes) bytes; send it in parts")
    }
    guard (1...255).contains(wish.fileName.utf8.count) else {
      throw RestFault(.unprocessable, "file_name is 1 to 255 bytes long")
    }
    // Whether there is such a conversation, before anything is uploaded for it.
    var request = MessageRequest()
    (request.with, request.limit) = (call.parameters[0], 1)
    _ = try await node.messages(request)
    let (url, headers, end) = try uploads.ask(
      by: try call.owner.id, for: call.parameters[0], type: type, byteCount: wish.fileSize,
      origin: call.origin, unixSeconds: Int64(time(nil)))
    return .json(
      .ok,
      RestBody.UploadAddress(
        url: url, headers: headers, expiresAt: InternetTime.text(Double(end))))
  }

  private func send(
    _ call: RestCall, _ wish: RestBody.AudioWish
  ) async throws(RestFault) -> PageAnswer {
    if let duration = wish.duration, !(duration > 0 && duration <= 86_400) {
      throw RestFault(.unprocessable, "duration is seconds, more than 0")
    }
    let conversation = call.parameters[0]
    let (id, draft) = try uploads.take(
      wish.audioURL, by: try call.owner.id, for: conversation, byteCount: wish.fileSize)
    switch draft {
    case .sent(let number):
      return .json(.ok, RestBody.Created(try await node.message(number, of: conversation)))
    case .file(let file, let byteCount):
      return try await send(id, to: conversation) { () async throws(RestFault) in
        try await Self.read(file, byteCount: byteCount)
      }
    case .stored(let byteCount):
      return try await send(id, to: conversation) { [uploads] () async throws(RestFault) in
        try await uploads.store?.file(id, byteCount: byteCount) ?? []
      }
    }
  }

  private func send(
    _ id: String, to conversation: String, _ file: () async throws(RestFault) -> [UInt8]
  ) async throws(RestFault) -> PageAnswer {
    var sent: Int64?
    defer { uploads.sent(id, as: sent) }
    let message = try await node.send(try await file(), to: conversation)
    sent = message.number
    if let store = uploads.store {
      // What cannot be kept there is heard from here.
      let audio = try? await node.audio(of: message.number, conversation)
      if let audio { await store.keep(audio, as: Self.hash(of: audio)) }
    }
    return .json(.created, RestBody.Created(message))
  }

  private static func read(
    _ file: UploadFile, byteCount: Int
  ) async throws(RestFault) -> [UInt8] {
    do {
      return try await NIOThreadPool.singleton.runIfActive {
        try file.read(byteCount: byteCount)
      }
    } catch let failure as UploadFailure {
      throw failure.fault
    } catch {
      throw RestFault(.failed, "the node is ending; try again")
    }
  }
}

/// A request that its token may make.
struct RestCall: Sendable {
  static let tooLarge = RestFault(
    .tooLarge, "that JSON has at most \(RestRoute.say.bodyBytes) bytes; a text has 4096")

  var route: RestRoute
  /// Those of its path, in their order.
  var parameters: [String]
  var query: [String: String]
  /// Whose token it has, or who is signed in; nil: that needs nobody.
  var caller: PageRecord?
  /// It is somebody signed in at the page, who chose that name.
  var isOfPage: Bool
  /// As the caller names the node: `https://HOST:PORT`.
  var origin: String
  /// As it came.
  var path: String
  /// Whether the answer may be elsewhere: a program's client follows, the page's rules do not let it.
  var canBeSentOn: Bool
  /// The value of its header; nil: the whole is asked for.
  var range: String?

  /// Whose token it has, where it needs one.
  var owner: PageRecord {
    get throws(RestFault) {
      guard let caller else { throw RestFault(.unauthorized, "send a token") }
      return caller
    }
  }

  /// The path of the conversation's messages, as the caller wrote it.
  var messagesPath: String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.prefix(6).joined(separator: "/")
  }

  /// A number of the query.
  func number(
    _ name: String, within range: ClosedRange<Int64>
  ) throws(RestFault) -> Int64? {
    guard let text = query[name] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw RestFault(
        .unprocessable, "\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Its content.
  func json<Value: Decodable>(_ type: Value.Type, _ body: [UInt8]) throws(RestFault) -> Value {
    do throws(RemoteError) {
      return try JSONLine.decode(type, from: body)
    } catch {
      throw RestFault(.malformed, "\(error)")
    }
  }
}

/// Parts of a file (RFC 9110 §14).
enum ByteRange {
  /// All of it, or the part that is asked for; several parts at once are answered with all.
  static func answer(_ file: [UInt8], _ header: String?) throws(RestFault) -> PageAnswer {
    var answer = PageAnswer(
      status: .ok,
      headers: [
        ("Content-Type", "audio/ogg"), ("Cache-Control", "no-store"), ("Accept-Ranges", "bytes"),
      ])
    switch range(header, of: file.count) {
    case nil: answer.body = ByteBuffer(bytes: file)
    case .some(nil):
      answer = .fault(
        RestFault(.rangeNotSatisfiable, "the file has \(file.count) bytes; ask for some of these"))
      answer.headers.append(("Content-Range", "bytes */\(file.count)"))
    case .some(.some(let range)):
      answer.status = .partialContent
      answer.headers.append(
        ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)"))
      answer.body = ByteBuffer(bytes: file[range])
    }
    return answer
  }

  /// Nil: no range, or none that is understood; inner nil: none of these bytes exist.
  static func range(_ header: String?, of count: Int) -> Range<Int>?? {
    guard let header, header.lowercased().hasPrefix("bytes=") else { return nil }
    let text = header.dropFirst(6)
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    func isNumber(_ part: Substring) -> Bool {
      (1...18).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
    guard parts.count == 2 else { return nil }
    if parts[0].isEmpty {
      guard isNumber(parts[1]), let length = Int(parts[1]) else { return nil }
      return length == 0 || count == 0 ? .some(nil) : max(0, count - length)..<count
    }
    guard isNumber(parts[0]), let first = Int(parts[0]), parts[1].isEmpty || isNumber(parts[1])
    else { return nil }
    let last = Int(parts[1]) ?? count - 1
    guard parts[1].isEmpty || last >= first else { return nil }
    return first < count ? first..<(min(last, count - 1) + 1) : .some(nil)
  }
}

extension PageAnswer {
  /// A refusal of REST.
  static func fault(_ fault: RestFault) -> PageAnswer {
    json(
      HTTPResponseStatus(statusCode: fault.code.status), RestBody.Fault(fault),
      more: fault.code == .unauthorized ? [("WWW-Authenticate", "Bearer")] : [])
  }
}

extension PageRequest {
  /// The type of its content, without parameters, in lower case; nil: it has none.
  var mediaType: String? {
    headers.first(name: "Content-Type").map(Self.withoutParameters)
  }

  /// `audio/ogg` of `audio/ogg; codecs=opus`.
  static func withoutParameters(_ type: String) -> String {
    String(type.prefix { $0 != ";" }.filter { $0 != " " }).lowercased()
  }

  /// Whether some is to come.
  var hasContent: Bool {
    headers.contains(name: "Transfer-Encoding") || contentBytes ?? 0 > 0
  }

  /// The length of its content; nil: it does not say.
  var contentBytes: Int? { headers.first(name: "Content-Length").flatMap { Int($0) } }
}
