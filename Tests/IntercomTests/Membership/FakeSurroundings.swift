import Cryptography
import EventLoop
import Mesh
import Synchronization
import TestNode

@testable import Intercom

/// Control connections that only remember what they were told.
final class FakeTransport: ControlTransport {
  private let told = Mutex<[String]>([])
  private let sent = Mutex<[(Message, ConnectionID)]>([])

  var words: [String] { told.withLock { $0 } }
  func messages(on connection: ConnectionID) -> [Message] {
    sent.withLock { $0.filter { $0.1 == connection }.map(\.0) }
  }

  func dial(_ attempt: AttemptID, _ address: NodeAddress) {
    told.withLock { $0.append("dial \(SocketAddress(address)?.description ?? "?")") }
  }
  func abandon(_ attempt: AttemptID) { told.withLock { $0.append("abandon") } }
  func close(_ connection: ConnectionID) {
    told.withLock { $0.append("close \(connection.rawValue)") }
  }
  func raiseLimit(of connection: ConnectionID) {
    told.withLock { $0.append("raise \(connection.rawValue)") }
  }
  func send(_ message: Message, on connection: ConnectionID) {
    sent.withLock { $0.append((message, connection)) }
  }
  func endLane(of node: NodeID) { told.withLock { $0.append("end lane of \(node.octets[0])") } }
  var lane: IdleLane { IdleLane() }
}

/// A media path that only remembers what it was told; ``next()`` waits for the next thing.
final class FakeMedia: MediaGate {
  struct BadKey: Error {}

  let knocks: AsyncStream<NodeID>
  let knock: AsyncStream<NodeID>.Continuation
  private let commands: AsyncStream<String>
  private let command: AsyncStream<String>.Continuation
  private let epoch = Mutex<UInt64>(0)
  /// When media of any member came last.
  let heard = Mutex<Int64?>(nil)
  /// What members are called.
  let called = Mutex<[NodeID: String]>([:])

  init() {
    (knocks, knock) = AsyncStream.makeStream()
    (commands, command) = AsyncStream.makeStream()
  }

  func next() async -> String {
    for await command in commands { return command }
    return "nothing"
  }

  func say(_ word: String) { command.yield(word) }

  func admit(_ member: Member) async -> Bool {
    let profile = member.profile
    let addresses = profile.mediaAddresses.compactMap { SocketAddress($0)?.description }
    let place = addresses.joined(separator: " ")
    command.yield(
      "admit \(profile.name) at \(place)\(profile.isRecording ? ", which records" : "")")
    return true
  }
  func expel(_ node: NodeID, saidGoodbye: Bool) async { command.yield("expel \(node.octets[0])") }
  func freeName(of node: NodeID) async { command.yield("free the name of \(node.octets[0])") }
  func calledNames() async -> [NodeID: String] { called.withLock { $0 } }
  func install(_ key: MediaKey, of node: NodeID) async throws {
    guard key.octets != [0] else { throw BadKey() }
    command.yield("install \(key.epoch) of \(node.octets[0])")
  }
  func endStream(_ number: Int, of node: NodeID) async {
    command.yield("end \(number) of \(node.octets[0])")
  }
  func ownKey(of number: Int) async -> MediaKey? { key(number) }
  func makeNextKey(of number: Int) async throws(CryptoError) -> MediaKey? {
    epoch.withLock { $0 += 1 }
    let key = key(number)
    command.yield("make \(key.epoch)\(number == 0 ? "" : " of stream \(number)")")
    return key
  }
  func useNextKey(of number: Int) async {
    command.yield("use \(key(number).epoch)\(number == 0 ? "" : " of stream \(number)")")
  }
  func openStream(
    of source: Int, to audience: StreamAudience, listeners: StreamListeners
  ) async throws -> MediaKey {
    command.yield("open \(audience.octets)")
    return key(1)
  }
  func setListeners(_ listeners: StreamListeners, of number: Int) async {
    command.yield("set listeners of \(number)")
  }
  func closeStream(_ number: Int) async { command.yield("close stream \(number)") }
  func heardNanoseconds(of node: NodeID) async -> Int64? {
    command.yield("listen to \(node.octets[0])")
    return heard.withLock { $0 }
  }
  func sendKnocks(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) async {
    command.yield("knock at \(addresses.map(\.description).joined(separator: " "))")
  }

  private func key(_ number: Int) -> MediaKey {
    MediaKey(
      stream: number, ssrc: 5 + UInt32(number), epoch: epoch.withLock { $0 }, octets: [9])
  }
}
