import Cryptography
import Glibc
import Messages

@testable import Journal

/// A folder with one journal in it, removed at the end.
final class JournalFolder {
  private let folder: String
  var path: String { "\(folder)/messages.db" }

  init() throws {
    var template = Array("/tmp/comlink-journal-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw JournalError("no folder") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    try? remove()
    _ = unsafe rmdir(folder)
  }

  func remove() throws {
    for end in ["", "-wal", "-shm", "-journal"] { _ = unsafe unlink(path + end) }
  }

  func mode(_ end: String) throws -> UInt32 {
    var facts = stat()
    guard unsafe stat(path + end, &facts) == 0 else { throw JournalError("no \(end)") }
    return facts.st_mode & 0o777
  }

  func octets(_ end: String) throws -> [UInt8] {
    guard let file = unsafe fopen(path + end, "r") else { throw JournalError("no \(end)") }
    defer { unsafe fclose(file) }
    var octets: [UInt8] = []
    var octet = unsafe fgetc(file)
    while octet != EOF {
      octets.append(UInt8(truncatingIfNeeded: octet))
      octet = unsafe fgetc(file)
    }
    return octets
  }

  func write(_ octets: [UInt8]) throws {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard unsafe Glibc.write(file, octets, octets.count) == octets.count else {
      throw JournalError("not written")
    }
    close(file)
  }
}

/// Changes as a desk makes them, each different, and what becomes of a state by them.
struct ChangeMaker {
  let nodes: [NodeID]
  private let keys: [PublicKey]

  init(seed: UInt8) throws {
    keys = try (0..<5).map { _ in try NodeKey().publicKey }
    nodes = keys.map { NodeID(of: $0) }
  }

  func changes(_ turn: Int) -> [JournalChange] {
    let node = nodes[turn % 5]
    let key = MessageKey(sender: node, sequence: UInt64(turn + 1))
    let message = Message(
      key: key, conversation: .member(node), content: .text("message \(turn)"),
      sentUnixMilliseconds: Int64(turn), takenUnixMilliseconds: Int64(turn))
    let octets = [UInt8](repeating: UInt8(turn), count: 300 + turn)
    switch turn % 4 {
    case 0:
      return [
        .sequence(UInt64(turn)), .message(message),
        .hold(
          HeldEnvelope(
            key: key, byteCount: octets.count, remaining: [nodes[0], nodes[1]], untilRunSeconds: 9),
          octets: octets),
      ]
    case 1: return [.message(message), .mark(node, MessageMark(delivered: UInt64(turn), read: 1))]
    case 2:
      let held = MessageKey(sender: nodes[(turn - 2) % 5], sequence: UInt64(turn - 1))
      return [
        .remaining(held, turn % 8 == 2 ? [] : [nodes[1]]),
        .receipt(node, MessageMark(delivered: UInt64(turn), read: 0)),
      ]
    default:
      return [
        .contact(node, Contact(key: keys[turn % 5], groups: [])), .runSeconds(UInt64(turn)),
        .line(.named("line \(turn)"), KeptLine(name: "Line", people: [node: UInt64(turn)])),
        .line(.named("line \(turn - 4)"), nil),
      ]
    }
  }

  func apply(_ changes: [JournalChange], to state: inout JournalState) {
    for change in changes {
      switch change {
      case .contact(let node, let contact): state.contacts[node] = contact
      case .forget(let node): state.contacts[node] = nil
      case .message, .pieces, .forgetAudio, .edit, .reaction: break
      case .hold(let held, _): state.held.append(held)
      case .remaining(let key, let nodes):
        for index in state.held.indices where state.held[index].key == key {
          state.held[index].remaining = nodes
        }
        state.held.removeAll { $0.remaining.isEmpty }
      case .line(let tag, let line): state.lines[tag] = line
      case .mark(let node, let mark): state.marks[node] = mark
      case .receipt(let node, let mark): state.receipts[node] = mark
      case .sequence(let sequence): state.sequence = sequence
      case .runSeconds(let seconds): state.runSeconds = seconds
      }
    }
  }
}

extension JournalState {
  var sorted: JournalState {
    var state = self
    state.held.sort { $0.key.sequence < $1.key.sequence }
    return state
  }
}
