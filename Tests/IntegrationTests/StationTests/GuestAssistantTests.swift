import Foundation
import Remote
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import TestRig

extension RealNodeTests {
  /// A phone that talks calls the assistant by its own microphone: a real node on JACK, services that follow a script,
  /// and in the phone's place a script that speaks the page's WebSockets.
  @Suite struct GuestAssistantTests {
    /// Signs in, agrees, calls, and tells how that went; sound is 16 bits at 48 kHz both ways.
    private static let phone = #"""
      import json, socket, ssl, struct, sys, time
      port, token, sound = int(sys.argv[1]), sys.argv[2], open(sys.argv[3], "rb").read()
      host, context = f"127.0.0.1:{port}", ssl._create_unverified_context()

      def connect(request, more, body=""):
          link = context.wrap_socket(socket.create_connection(("127.0.0.1", port)))
          link.sendall(f"{request} HTTP/1.1\r\nHost: {host}\r\nOrigin: https://{host}\r\n{more}\r\n{body}".encode())
          head = b""
          while b"\r\n\r\n" not in head:
              head += link.recv(1)
          return link, head.decode()

      class Wire:
          def __init__(self, path):
              self.link, head = connect("GET " + path, f"Cookie: {cookie}\r\nConnection: Upgrade\r\n"
                  "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
              assert " 101 " in head, head
              self.octets = b""

          def send(self, first, payload):
              few = len(payload) < 126
              size = bytes([0x80 | len(payload)]) if few else struct.pack(">BH", 0xFE, len(payload))
              self.link.setblocking(True)
              self.link.sendall(bytes([first]) + size + bytes(4) + payload)

          def take(self):
              self.link.setblocking(False)
              try:
                  while more := self.link.recv(65536):
                      self.octets += more
              except ssl.SSLWantReadError:
                  pass
              while len(self.octets) > 9:
                  size, start = self.octets[1], 2
                  if size == 126:
                      size, start = struct.unpack_from(">H", self.octets, 2)[0], 4
                  elif size == 127:
                      size, start = struct.unpack_from(">Q", self.octets, 2)[0], 10
                  if len(self.octets) < start + size:
                      return
                  first, payload = self.octets[0], self.octets[start:start + size]
                  self.octets = self.octets[start + size:]
                  yield first, payload

      body = json.dumps({"token": token, "name": "Anna"})
      head = connect("POST /api/v1/session", f"Content-Length: {len(body)}\r\n", body)[1]
      cookie = head.lower().split("set-cookie: ", 1)[1]
      cookie = head[len(head) - len(cookie):].split(";", 1)[0]
      control, voices, told, began = Wire("/ws"), [], [], time.monotonic()
      ticks, saying, newest, isLoud = 0, b"", -1, False

      def turn():
          "10 ms of both ways."
          global ticks, saying, newest, isLoud
          ticks += 1
          time.sleep(max(0, began + ticks / 100 - time.monotonic()))
          block, saying = saying[:960], saying[960:]
          frame = struct.pack(">BIIB", 2, ticks, ticks * 480, 20) + block.ljust(960, b"\0")
          for wire in voices:
              wire.send(0x82, frame)
          for wire in voices:
              for first, data in wire.take():
                  if first == 0x81:
                      told.append(json.loads(data))
                  elif first == 0x82 and struct.unpack_from(">I", data, 1)[0] > newest:
                      newest = struct.unpack_from(">I", data, 1)[0]
                      samples = struct.unpack(f"<{len(data) // 2 - 5}h", data[10:]) if data[0] == 2 else [0]
                      isLoud = max(map(abs, samples)) > 1000

      def ask(request, **fields):
          control.send(0x81, json.dumps({"request": request, **fields}).encode())
          while True:
              turn()
              for first, data in control.take():
                  if first == 0x81:
                      return json.loads(data)

      def wait(what, condition):
          for _ in range(1500):
              if condition():
                  return
              turn()
          sys.exit("never: " + what)

      def state():
          guests = ask("status")["status"].get("guests", [])
          return [g.get("assistant", {}).get("state") for g in guests if g["name"] == "Anna"]

      def call(**fields):
          return ask("assistant-call", spoken=True, guest="0123456789abcdef", **fields)

      def say(*words):
          print(*words, flush=True)

      say("no phone:", call()["error"])
      voices = [Wire("/voice"), Wire("/voice")]
      for wire in voices:
          wire.send(0x81, json.dumps({"guest": "0123456789abcdef", "hears": "pcm"}).encode())
      wait("a guest", lambda: told)
      say("not agreed:", call()["error"])
      consent = ask("assistant-agree", keeps=True)["assistant"]["consent"]
      say("agreed:", consent["choice"], consent["mayAgree"])
      session = call()["assistant"]["session"]["id"]
      wait("it listens", lambda: state() == ["listening"])
      saying = sound
      wait("the answer", lambda: isLoud)
      say("hears", state()[0])
      for _ in range(100):
          turn()
      saying, before = sound, ticks
      wait("silence", lambda: not isLoud)
      loud = next(place for place, (sample,) in enumerate(struct.iter_unpack("<h", sound)) if abs(sample) > 1000)
      say("silent", (ticks - before) * 10 - loud // 48, "ms after a voice began")
      assert ticks - before < 150
      wait("another answer", lambda: isLoud)
      assert ask("assistant-end", session=session)["ok"]
      wait("its end", lambda: state() == [None] and not isLoud)
      sessions = lambda: ask("assistant-sessions")["assistant"]["sessions"]
      wait("a summary", lambda: sessions()[0].get("summary"))
      say("kept:", len(sessions()), sessions()[0]["summary"])
      call(line="all")
      wait("it listens", lambda: state() == ["listening"])
      saying = sound
      wait("the answer on the line", lambda: isLoud)
      say("on the line")
      for _ in range(300):
          turn()
      assert ask("assistant-end")["ok"]
      say("over")
      """#

    @Test func `a phone asks by its own microphone and hears the answer alone, or on a line`()
      throws
    {
      let (model, service) = (try ModelServer(), try FakeSpeech())
      service.text.withLock { $0 = "How far is it?" }
      service.seconds.withLock { $0 = 4 }
      // Whatever it is asked, also for a title.
      model.answers = ["Title: The way\\nSummary: How far it is."]
      let directory = try TemporaryDirectory(prefix: "comlink-phone")
      let ports = try LoopbackPorts.free(2)
      let pair = try NodePair(
        argumentsOfA: [
          "--page", "127.0.0.1:\(ports[0])", "--page-trust", "127.0.0.1:\(ports[1])",
          "--assistant-url", "http://127.0.0.1:\(model.port)/v1", "--assistant-shared",
          "--speech-asr", "tcp://127.0.0.1:\(service.port)",
          "--speech-tts", "tcp://127.0.0.1:\(service.port)",
        ], in: directory)
      let (a, b) = (pair.a.node, pair.b.node)
      for node in [a, b] { _ = try node.ask(.talk(isOn: false)) }
      guard case .pageInvitation(let one) = try a.ask(.pageInvite(rights: .talk, name: nil)) else {
        throw RigError.status(reason: "no invitation")
      }
      let sound = try Speech.lasting(1.2, Speech.sentences()).flatMap { sample -> [UInt8] in
        let sample = Int16(max(-1, min(1, sample)) * 32_767)
        return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
      }
      try Data(sound).write(to: URL(fileURLWithPath: directory.file("said")))
      let phone = try ChildProcess(
        "python3", ["-c", Self.phone, "\(ports[0])", one.token, directory.file("said")],
        outputPath: directory.file("phone.log"))
      func wait(_ what: String, until isSo: () throws -> Bool) throws {
        try waitUntil(
          what, within: 40, interval: 0.05, detail: { phone.outputTail() + a.process.outputTail() }
        ) { () throws(RigError) in
          if let status = phone.endStatus, status != 0 {
            throw .status(reason: phone.outputTail())
          }
          return (try? isSo()) == true
        }
      }
      try wait("the answer at the phone") { phone.output.contains("hears speaking") }
      for node in [a, b] { #expect(try node.status().node.mixLevelDBFS < -60) }
      #expect(try b.status().peers.first?.guests?.map(\.isTalking) == [false])
      // It is the phone's call, and not the station's.
      #expect(try a.status().guests?.first?.isOn == false)
      try wait("the line") { phone.output.contains("on the line") }
      try wait("B to hear it") { try b.status().node.mixLevelDBFS > -40 }
      #expect(try a.status().guests?.map(\.name).sorted() == ["Anna", "Assistant"])
      try wait("its end") { phone.endStatus == 0 }
      print(phone.output)
      #expect(phone.output.contains("no phone: this phone does not talk"))
      #expect(phone.output.contains("not agreed: nobody agreed yet"))
      #expect(phone.output.contains("agreed: keep True"))
      #expect(phone.output.contains("kept: 1 How far it is."))
    }
  }
}
