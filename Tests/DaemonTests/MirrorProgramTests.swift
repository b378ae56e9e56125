import Foundation
import TestKit
import Testing

/// The mirror of voice messages as a user has it: two daemons and a service, each a process, one of which is killed.
@Suite(.timeLimit(.minutes(4))) struct MirrorProgramTests {
  /// A service as docs/rest.md describes it.
  ///
  /// What a request that is held asks for it has done, but says so only once nothing is held any more.
  private static let service = #"""
    import http.server, json, os, sys, time, urllib.parse
    port, folder, token = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    uploads, sent = {}, {}

    def tell(*words):
        print(*words, flush=True)

    class Service(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def answer(self, stage, status, value):
            if os.path.exists(f"{folder}/hold-{stage}"):
                tell("held", stage)
                while os.path.exists(f"{folder}/hold-{stage}"):
                    time.sleep(0.02)
            body = json.dumps(value).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                tell("cut", stage)

        def content(self):
            return self.rfile.read(int(self.headers["Content-Length"]))

        def do_PUT(self):
            upload = uploads.get(self.path)
            body = self.content()
            if "Authorization" in self.headers:
                tell("token given away")
            if upload is None or self.headers["Content-Type"] != "audio/ogg":
                return self.answer("put", 403, {})
            if len(body) != upload["size"]:
                return self.answer("put", 400, {})
            upload["body"] = body
            self.answer("put", 200, {})

        def do_POST(self):
            wish = json.loads(self.content())
            if self.headers["Authorization"] != "Bearer " + token:
                return self.answer("token", 401, {})
            parts = urllib.parse.unquote(self.path).split("/")
            if parts[:4] != ["", "api", "v1", "conversations"]:
                return self.answer("path", 404, {})
            if parts[-1] == "upload-url":
                path = f"/uploads/{len(uploads) + 1}?signature=x"
                uploads[path] = {"size": wish["file_size"], "of": parts[4]}
                return self.answer("ask", 200, {
                    "url": f"http://127.0.0.1:{port}{path}", "expires_at": "2027-01-15T08:00:00Z",
                    "headers": {"Content-Type": "audio/ogg"}})
            path = wish["audio_url"].split(str(port), 1)[1]
            upload = uploads.get(path)
            if upload is None or upload["of"] != parts[4]:
                return self.answer("send", 404, {})
            if "body" not in upload:
                return self.answer("send", 409, {})
            if path in sent:
                return self.answer("send", 200, {"id": sent[path]})
            sent[path] = str(len(sent) + 1)
            with open(f"{folder}/{sent[path]}.ogg", "wb") as file:
                file.write(upload["body"])
            tell("message", sent[path], parts[4], f"{wish['duration']:.1f}")
            self.answer("send", 201, {"id": sent[path]})

    http.server.ThreadingHTTPServer(("127.0.0.1", port), Service).serve_forever()
    """#

  /// Sends a file to another node's REST, as a program does that passes on what a service has.
  private static let passing = #"""
    file = open(sys.argv[4], "rb").read()
    messages = "/api/v1/conversations/group:crew/messages"
    wish = {"file_name": "a.ogg", "file_size": len(file), "mime_type": "audio/ogg"}
    status, place = told("POST", messages + "/audio/upload-url", wish)
    put = told("PUT", place["url"].split(str(port), 1)[1], file, type="audio/ogg",
               headers=place["headers"], token=None)[0]
    wish = {"audio_url": place["url"], "file_size": len(file), "mime_type": "audio/ogg"}
    print(status, put, told("POST", messages + "/audio", wish)[0])
    """#

  private static let mark = Data("COMLINK_MIRRORED=1".utf8)

  private let folder: TestFolder
  private let port: Int

  init() throws { (folder, port) = (try TestFolder(), try MessageProgramTests.freePort()) }

  private func startService() throws -> Program {
    try Data("secret\n".utf8).write(to: URL(filePath: "\(folder.path)/token"))
    return try Program(
      "/usr/bin/python3", ["-c", Self.service, "\(port)", folder.path, "secret"])
  }

  private var mirroring: [String] {
    [
      "--upload-url", "http://127.0.0.1:\(port)/api/v1",
      "--upload-token-file", "\(folder.path)/token", "--upload-from", "group=all",
    ]
  }

  /// A voice message of so many tenths of a second, by which it is known again.
  private func speak(_ tenths: Int, _ from: Int, in pair: DaemonPair) async throws {
    let path = "\(folder.path)/\(tenths).wav"
    try ToneFile.write(path, seconds: Double(tenths) / 10)
    try await send(path, from, in: pair)
  }

  private func send(_ path: String, _ from: Int, in pair: DaemonPair) async throws {
    let sent = try await pair.comlink(from, ["voice-message", "send", path, "--to", "group"])
    #expect(sent.code == 0, "\(sent.complaint)")
  }

  /// How long what the service has is, tenths of a second.
  private func mirrored(_ service: Program) -> [Int] {
    service.output.matches(of: /message [0-9]+ all ([0-9]+)\.([0-9])/).compactMap {
      Int("\($0.1)\($0.2)")
    }
  }

  private func setHeld(_ stage: String, _ isHeld: Bool) throws {
    let path = "\(folder.path)/hold-\(stage)"
    if isHeld {
      try Data().write(to: URL(filePath: path))
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func `each voice message is at the service once and in order, whenever the node is killed`()
    async throws
  {
    let service = try startService()
    let pair = try DaemonPair([[], mirroring], in: folder)
    try await pair.start()
    try await pair.makeCrew()
    var expected: [Int] = []
    // The service has done it, and nobody is there any more who hears of it.
    for stage in ["ask", "put", "send"] {
      try setHeld(stage, true)
      expected.append(3 + expected.count)
      try await speak(expected[expected.count - 1], 0, in: pair)
      try await pair.wait(1, within: 30) { service.output.contains("held \(stage)") }
      try await pair.cut(1)
      expected.append(3 + expected.count)
      try await speak(expected[expected.count - 1], 0, in: pair)
      try setHeld(stage, false)
      try await pair.start(1)
      try await pair.wait(1, within: 40) { mirrored(service).count >= expected.count }
      #expect(mirrored(service) == expected, "\(stage): \(service.output)")
    }
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<Seeds.rounds(20) {
      expected.append(3 + expected.count)
      try await speak(expected[expected.count - 1], 0, in: pair)
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &random)))
      try await pair.cutAndStart(1)
    }
    try await pair.wait(1, within: 60) { mirrored(service).count >= expected.count }
    #expect(mirrored(service) == expected, "seed \(seed): \(service.output)")
    #expect(!service.output.contains("token given away"))
    // What is there is the sound of the message, and the mark.
    _ = try await pair.comlink(1, ["voice-message", "list"])
    let last = try Data(contentsOf: URL(filePath: "\(folder.path)/\(expected.count).ogg"))
    #expect(last.starts(with: Data("OggS".utf8)) && last.firstRange(of: Self.mark) != nil)
    try await pair.end()
    kill(service.identifier, SIGKILL)
  }

  /// What phones are given to trust, as a file.
  private static let authority = #"""
    import ssl, sys, urllib.request
    der = urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/comlink.crt").read()
    open(sys.argv[2], "w").write(ssl.DER_cert_to_PEM_cert(der))
    """#

  @Test func `another node's page is the service, once its crew's authority is trusted`()
    async throws
  {
    let ports = try (0..<2).map { _ in try MessageProgramTests.freePort() }
    let (token, crew) = ("\(folder.path)/token", "\(folder.path)/crew.pem")
    try Data("none yet".utf8).write(to: URL(filePath: token))
    let pair = try DaemonPair(
      [
        ["--page", "127.0.0.1:\(ports[0])", "--page-trust", "127.0.0.1:\(ports[1])"],
        [
          "--upload-url", "https://127.0.0.1:\(ports[0])/api/v1", "--upload-token-file", token,
          "--upload-from", "group=group:crew", "--upload-authorities", crew,
        ],
      ], in: folder)
    try await pair.start()
    try await pair.makeCrew()
    let made = try await pair.comlink(0, ["page", "token", "new", "bridge", "--rights", "talk"])
    try Data(made.output.utf8).write(to: URL(filePath: token))
    let asked = try await Program.run(
      "/usr/bin/python3", ["-c", Self.authority, "\(ports[1])", crew])
    #expect(asked.code == 0, "\(asked.complaint)")
    try await pair.cutAndStart(1)
    try await pair.wait(1, within: 30) {
      try await pair.comlink(1, ["status", "--json"]).output.contains(#""mirror""#)
    }
    try await speak(5, 1, in: pair)
    func voices(_ index: Int) async throws -> Int {
      try await pair.comlink(index, ["messages", "--json", "--keep-unread"]).output
        .split(separator: "\n").count { $0.contains(#""voice":"#) }
    }
    // The message itself, and the same by REST.
    try await pair.wait(0, within: 40) { try await voices(0) == 2 }
    try await pair.end()
  }

  @Test func `what was mirrored comes back by another node's REST and is not mirrored again`()
    async throws
  {
    let service = try startService()
    let ports = try (0..<2).map { _ in try MessageProgramTests.freePort() }
    let page = ["--page", "127.0.0.1:\(ports[0])", "--page-trust", "127.0.0.1:\(ports[1])"]
    let pair = try DaemonPair([mirroring, page + mirroring], in: folder)
    try await pair.start()
    try await pair.makeCrew()
    let token = try await pair.comlink(1, ["page", "token", "new", "bridge", "--rights", "talk"])
      .output.trimmingCharacters(in: .whitespacesAndNewlines)
    try await speak(5, 0, in: pair)
    // Both nodes mirror the group: the same message, from each.
    try await pair.wait(0, within: 30) { mirrored(service).count >= 2 }
    let told = try await Program.run(
      "/usr/bin/python3",
      [
        "-c", RestProgramTests.client + "\n" + Self.passing, "\(ports[0])", "\(ports[1])", token,
        "\(folder.path)/1.ogg",
      ])
    #expect(told.output == "200 200 201\n", "\(told.complaint)")
    // It is a message as any other here, and goes from node to node, and by hand, with its mark.
    func voices() async throws -> [Substring] {
      try await pair.comlink(0, ["messages", "--json", "--keep-unread"]).output
        .split(separator: "\n").filter { $0.contains(#""voice":"#) }
    }
    try await pair.wait(0, within: 30) { try await voices().count == 2 }
    let number = try #require(try await voices().last?.firstMatch(of: /"number":([0-9]+)/)?.1)
    let saved = "\(folder.path)/saved.ogg"
    let save = try await pair.comlink(0, ["voice-message", "save", "\(number)", saved])
    #expect(save.code == 0, "\(save.complaint)")
    #expect(try Data(contentsOf: URL(filePath: saved)).firstRange(of: Self.mark) != nil)
    try await send(saved, 0, in: pair)
    // Messages are mirrored in their order: what is not there once a later one is, never will be.
    try await speak(9, 0, in: pair)
    try await pair.wait(0, within: 30) { mirrored(service).filter { $0 == 9 }.count >= 2 }
    #expect(mirrored(service).sorted() == [5, 5, 9, 9], "\(service.output)")
    try await pair.end()
    kill(service.identifier, SIGKILL)
  }
}
