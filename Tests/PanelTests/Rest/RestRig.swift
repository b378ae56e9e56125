import Remote
import StatusSchema
import Synchronization

@testable import Panel

/// A node with one conversation, `group:crew`, that keeps what is sent to it.
final class RestMessages: RestNode {
  private let kept = Mutex<[MessageStatus]>([])
  private let next = Mutex<RestFault?>(nil)
  private let spoken = Mutex<[String]>([])
  let sound = Array("0123456789".utf8)

  var messages: [MessageStatus] { kept.withLock { $0 } }

  /// What is sent next is refused so.
  func refuse(_ fault: RestFault?) { next.withLock { $0 = fault } }

  func conversations() async throws(RestFault) -> [RestConversation] {
    var crew = RestConversation(id: "group:crew", name: "crew", kind: .group)
    (crew.last, crew.unread) = (messages.last?.number ?? 0, 2)
    return [
      crew,
      RestConversation(id: "line:stage left", name: "stage left", kind: .line),
      RestConversation(id: "ab12", name: "anna", kind: .member),
    ]
  }

  private func check(_ conversation: String?) throws(RestFault) {
    guard conversation == "group:crew" else { throw RestFault(.notFound, "no such conversation") }
  }

  func messages(_ request: MessageRequest) async throws(RestFault) -> [MessageStatus] {
    try check(request.with)
    return messages.filter {
      $0.number > request.after ?? 0 && $0.number < request.before ?? .max
    }.suffix(request.limit ?? 50)
  }

  func message(
    _ number: Int64, of conversation: String
  ) async throws(RestFault) -> MessageStatus {
    try check(conversation)
    guard let message = messages.first(where: { $0.number == number }) else {
      throw RestFault(.notFound, "no such message")
    }
    return message
  }

  func audio(of number: Int64, _ conversation: String) async throws(RestFault) -> [UInt8] {
    guard try await message(number, of: conversation).voice != nil else {
      throw RestFault(.notFound, "a text")
    }
    return sound
  }

  func delete(_ number: Int64, of conversation: String) async throws(RestFault) {
    _ = try await message(number, of: conversation)
    kept.withLock { $0.removeAll { $0.number == number } }
  }

  /// Texts that were to be spoken.
  var aloud: [String] { spoken.withLock { $0 } }

  func say(
    _ text: String, isAloud: Bool, to conversation: String
  ) async throws(RestFault) -> MessageStatus {
    if isAloud { spoken.withLock { $0.append(text) } }
    return try add(text, nil, to: conversation)
  }

  func edit(
    _ number: Int64, of conversation: String, to text: String
  ) async throws(RestFault) -> MessageStatus {
    try await change(number, of: conversation) {
      ($0.text, $0.editedUnixSeconds) = (text, 1_800_000_002)
    }
  }

  func react(
    to number: Int64, of conversation: String, _ emoji: String?
  ) async throws(RestFault) -> MessageStatus {
    try await change(number, of: conversation) { message in
      message.reactions = emoji.map { [MessageStatus.Reaction(sign: $0, name: "", id: "ff")] }
    }
  }

  private func change(
    _ number: Int64, of conversation: String, _ body: (inout MessageStatus) -> Void
  ) async throws(RestFault) -> MessageStatus {
    _ = try await message(number, of: conversation)
    if let fault = next.withLock({ $0 }) { throw fault }
    return try kept.withLock { kept throws(RestFault) in
      guard let index = kept.firstIndex(where: { $0.number == number }) else {
        throw RestFault(.notFound, "no such message")
      }
      body(&kept[index])
      return kept[index]
    }
  }

  func send(_ file: [UInt8], to conversation: String) async throws(RestFault) -> MessageStatus {
    var voice = VoiceMessageStatus(seconds: 1.5, bytes: file.count, peaks: "00ff")
    voice.transcript = "cue nine"
    return try add(nil, voice, to: conversation)
  }

  private func add(
    _ text: String?, _ voice: VoiceMessageStatus?, to conversation: String
  ) throws(RestFault) -> MessageStatus {
    try check(conversation)
    if let fault = next.withLock({ $0 }) { throw fault }
    return kept.withLock { kept in
      var message = MessageStatus(
        number: (kept.last?.number ?? 0) + 1, conversation: conversation, sender: "",
        senderID: "ff", isOwn: true, sentUnixSeconds: 1_800_000_000.25,
        takenUnixSeconds: 1_800_000_000.25, text: text, isRead: true)
      message.voice = voice
      if text == "call 5" {
        message.editedUnixSeconds = 1_800_000_001.5
        message.reactions = [MessageStatus.Reaction(sign: "ok", name: "anna", id: "ab12")]
      }
      kept.append(message)
      return message
    }
  }
}

/// A bucket that says what was asked for, and has what a test puts there.
final class Bucket: UploadStore {
  private let state = Mutex((asked: [String](), files: Set<String>(), kept: [String: [UInt8]]()))

  /// What it was given to keep, by hash.
  var kept: [String: [UInt8]] { state.withLock { $0.kept } }

  /// Forgets it, as a rule of the bucket's does.
  func expire() { state.withLock { $0.kept = [:] } }

  func keep(_ audio: [UInt8], as hash: String) async -> Bool {
    state.withLock { $0.kept[hash] = audio }
    return true
  }

  func link(to hash: String, seconds: Int) async -> String? {
    kept[hash].map { _ in "https://s3.test/voices/sent/\(hash).ogg?for=\(seconds)" }
  }

  var asked: [String] { state.withLock { $0.asked } }

  func put(_ id: String) { _ = state.withLock { $0.files.insert(id) } }

  func place(of id: String) -> String { "https://s3.test/voices/\(id)" }

  func address(
    of id: String, type: String, byteCount: Int, seconds: Int
  ) -> (url: String, headers: [String: String]) {
    state.withLock { $0.asked.append(id) }
    return ("\(place(of: id))?signed=\(byteCount)", ["Content-Type": type])
  }

  func file(_ id: String, byteCount: Int) async throws(RestFault) -> [UInt8] {
    guard state.withLock({ $0.files.contains(id) }) else {
      throw RestFault(.conflict, "not there yet")
    }
    return [UInt8](repeating: 0, count: byteCount)
  }
}

/// Requests of a program.
extension PageRig {
  func rest(
    _ method: String, _ path: String, token: String?, body: String? = nil,
    type: String = "application/json", more: String = ""
  ) async throws -> PageVisitor.Answer {
    var headers = more
    if let token { headers += "Authorization: Bearer \(token)\r\n" }
    if body != nil { headers += "Content-Type: \(type)\r\n" }
    return try await answer(method, path, body: body, more: headers)
  }

  /// Path and query of an address for an upload, as JSON has it.
  func path(of answer: PageVisitor.Answer) -> String {
    let text = answer.body.firstRange(of: "/api/v1/uploads/").map { answer.body[$0.lowerBound...] }
    return String((text ?? "").prefix { $0 != "\"" })
  }

  func ask(_ token: String, byteCount: Int, type: String = "audio/wav") async throws
    -> PageVisitor.Answer
  {
    try await rest(
      "POST", Self.crew + "/audio/upload-url", token: token,
      body: #"{"file_name":"a.wav","file_size":\#(byteCount),"mime_type":"\#(type)"}"#)
  }

  static let crew = "/api/v1/conversations/group%3Acrew/messages"
}
