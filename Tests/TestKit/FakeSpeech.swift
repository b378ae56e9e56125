import Foundation
public import Synchronization

/// A Wyoming service on a port of the loopback that recognises what it is told to, and speaks a tone.
public final class FakeSpeech: Sendable {
  private struct NoPort: Error {}

  /// What came, without its sound.
  private struct Event {
    let type: String, text: String, voice: String, before: String, language: String
    let payloadBytes: Int
  }

  /// Where it listens, on 127.0.0.1.
  public let port: Int
  /// The first words of everything that is said, told while it is said; nil: it does not stream.
  public let partial = Mutex<String?>(nil)
  /// What everything that is said is recognised as; nil: it closes the connection instead.
  public let text = Mutex<String?>("")
  /// How long it speaks, seconds; nil: it never answers.
  public let seconds = Mutex<Double?>(0.5)
  /// Octets of speech that came, by question.
  public let heard = Mutex<[Int]>([])
  /// What was said before each question, by what it is told; empty: it is told nothing.
  public let befores = Mutex<[String]>([])
  /// The language of each question; empty: it is not told.
  public let languages = Mutex<[String]>([])
  /// Voices that it offers, of one language.
  public let voices = Mutex<[String]>([])
  /// The voice of each text that was to be spoken; empty: none was asked for.
  public let spokenVoices = Mutex<[String]>([])
  /// Texts that were to be spoken.
  public let spoken = Mutex<[String]>([])
  /// Octets of a question for wake words after which one is heard; nil: none is.
  public let wakesAfterBytes = Mutex<Int?>(nil)
  /// Octets that came by all of those.
  public let wakeBytes = Mutex(0)
  private let listener: Int32

  /// Listens.
  public init() throws {
    guard let (listener, port) = Self.listen() else { throw NoPort() }
    (self.listener, self.port) = (listener, port)
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else {
          // Not before: the next one's listener would have its number, and this thread its connections.
          close(listener)
          return
        }
        Thread.detachNewThread { [weak self] in
          self?.serve(connection)
          close(connection)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private static func listen() -> (Int32, Int)? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout.size(ofValue: address))
    let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, size) == 0 && Glibc.listen(descriptor, 8) == 0
          ? unsafe getsockname(descriptor, pointer, &size) : -1
      }
    }
    return code == 0 ? (descriptor, Int(UInt16(bigEndian: address.sin_port))) : nil
  }

  private func serve(_ connection: Int32) {
    var (octets, heardBytes, waits) = ([UInt8](), 0, false)
    while let event = Self.event(connection, &octets) {
      switch event.type {
      case "describe":
        let voices = voices.withLock { $0 }.map { #"{"name":"\#($0)","languages":["en"]}"# }
        let programs = voices.isEmpty ? "" : #"{"voices":[\#(voices.joined(separator: ","))]}"#
        Self.send(#"{"type":"info","data":{"asr":[],"tts":[\#(programs)]}}"#, connection)
      case "detect": waits = true
      case "transcribe":
        befores.withLock { $0.append(event.before) }
        languages.withLock { $0.append(event.language) }
      case "audio-chunk" where waits:
        heardBytes += event.payloadBytes
        wakeBytes.withLock { $0 += event.payloadBytes }
        guard let most = wakesAfterBytes.withLock({ $0 }), heardBytes >= most else { break }
        Self.send(#"{"type":"detection","data":{"name":"ok_nabu"}}"#, connection)
        waits = false
      case "audio-chunk":
        if heardBytes == 0, let partial = partial.withLock({ $0 }) {
          Self.send(#"{"type":"transcript-start","data":{"language":"en"}}"#, connection)
          Self.send(
            #"{"type":"transcript-chunk","data":{"text":"\#(partial)","unstable":" perhaps"}}"#,
            connection)
        }
        heardBytes += event.payloadBytes
      case "audio-stop":
        heard.withLock { $0.append(heardBytes) }
        guard let text = text.withLock({ $0 }) else { return }
        let data = #""text":"\#(text)","language":"en","confidence":0.75"#
        Self.send(#"{"type":"transcript","data":{\#(data)}}"#, connection)
        if partial.withLock({ $0 }) != nil { Self.send(#"{"type":"transcript-stop"}"#, connection) }
      case "synthesize":
        spokenVoices.withLock { $0.append(event.voice) }
        spoken.withLock { $0.append(event.text) }
        guard let seconds = seconds.withLock({ $0 }) else { break }
        speak(seconds, connection)
      default: break
      }
    }
  }

  private func speak(_ seconds: Double, _ connection: Int32) {
    let format = #""rate":16000,"width":2,"channels":1"#
    Self.send(#"{"type":"audio-start","data":{\#(format)}}"#, connection)
    let pcm = (0..<Int(seconds * 16_000)).flatMap { frame -> [UInt8] in
      let sample = Int16(8000 * sin(Double(frame) / 5))
      return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
    }
    for start in stride(from: 0, to: pcm.count, by: 6400) {
      let piece = Array(pcm[start..<min(start + 6400, pcm.count)])
      let length = piece.count
      Self.send(
        #"{"type":"audio-chunk","data":{\#(format)},"payload_length":\#(length)}"#, with: piece,
        connection)
    }
    Self.send(#"{"type":"audio-stop"}"#, connection)
  }

  private static func send(_ line: String, with payload: [UInt8] = [], _ connection: Int32) {
    var rest = (Array(line.utf8) + [10] + payload)[...]
    while !rest.isEmpty {
      let piece = Array(rest)
      let count = unsafe Glibc.send(connection, piece, piece.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// The next event; its sound is passed over.
  private static func event(_ connection: Int32, _ octets: inout [UInt8]) -> Event? {
    while true {
      if let end = octets.firstIndex(of: 10) {
        let line = Data(octets[..<end])
        let header = (try? JSONSerialization.jsonObject(with: line)) as? [String: Any] ?? [:]
        let bytes = (header["payload_length"] as? Int ?? 0) + (header["data_length"] as? Int ?? 0)
        if octets.count > end + bytes {
          octets.removeFirst(end + 1 + bytes)
          let data = header["data"] as? [String: Any]
          return Event(
            type: header["type"] as? String ?? "", text: data?["text"] as? String ?? "",
            voice: (data?["voice"] as? [String: Any])?["name"] as? String ?? "",
            before: (data?["context"] as? [String: Any])?["before"] as? String ?? "",
            language: data?["language"] as? String ?? "", payloadBytes: bytes)
        }
      }
      var part = [UInt8](repeating: 0, count: 65_536)
      let count = unsafe recv(connection, &part, part.count, 0)
      guard count > 0 else { return nil }
      octets += part.prefix(count)
    }
  }
}
