public import Assistant
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import ServiceLoop
public import WebService

/// Asks a language model by HTTP: `POST …/chat/completions`, its answer as a stream.
///
/// Runs on one thread of its own; each attempt has a connection of its own. What a server can cost is bounded by
/// ``ChatLimits`` and ``ChatPatience``.
public final class ChatClient: Sendable {
  /// What comes of a question.
  public enum Event: Hashable, Sendable {
    /// A piece of the answer; the last is ``ChatPiece/end(_:)``.
    case piece(ChatPiece)
    /// There will be no answer, or no more of it.
    case fault(ChatFault)
  }

  private let threads: MultiThreadedEventLoopGroup
  private let gate: LoopGate
  private let server: ChatServer
  private let patience: ChatPatience

  /// A client of one server.
  ///
  /// - Parameters:
  ///   - model: its name there; empty: the server has one only.
  ///   - key: what lets this node in; nil: nothing is needed.
  public init(
    of place: WebPlace, model: String, key: String?, patience: ChatPatience = ChatPatience()
  ) {
    threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    gate = LoopGate(threads.next())
    server = ChatServer(place: place, model: model, key: key)
    self.patience = patience
  }

  /// Asks; who stops reading wants no more of the answer.
  ///
  /// Any thread; does not wait.
  public func ask(_ query: ChatQuery) -> AsyncStream<Event> {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let content = ChatRequest.content(query, model: server.model)
    let (loop, server, patience, gate) = (threads.next(), server, patience, gate)
    gate.run {
      let asking = ChatAsking(server, content, patience, on: loop) { continuation.yield($0) }
      let bound = NIOLoopBound(asking, eventLoop: loop)
      asking.over = { continuation.finish() }
      continuation.onTermination = { _ in gate.run { bound.value.cancel() } }
      asking.settle()
    } orElse: {
      continuation.yield(.fault(.unreachable("the node is exiting")))
      continuation.finish()
    }
    return events
  }

  /// Ends all that is under way, and the thread; once.
  public func stop() async {
    _ = gate.shut()
    try? await threads.shutdownGracefully()
  }
}

/// Who is asked.
struct ChatServer: Sendable {
  let place: WebPlace
  let model: String
  let key: String?

  /// The request's head for a content of so many octets.
  func head(byteCount: Int) -> HTTPRequestHead {
    var headers = HTTPHeaders([
      ("Host", place.authority), ("Content-Type", "application/json"),
      ("Accept", "text/event-stream, application/json"), ("Content-Length", "\(byteCount)"),
      ("User-Agent", "comlink"), ("Connection", "close"),
    ])
    if let key { headers.add(name: "Authorization", value: "Bearer \(key)") }
    return HTTPRequestHead(
      version: .http1_1, method: .POST, uri: "\(place.path)/chat/completions", headers: headers)
  }
}
