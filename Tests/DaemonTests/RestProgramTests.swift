import Foundation
import TestKit
import Testing

/// REST as a program has it: a real daemon, and Python's HTTPS client, which trusts the crew alone.
@Suite(.timeLimit(.minutes(2))) struct RestProgramTests {
  static let client = #"""
    import http.client, json, math, ssl, struct, sys, urllib.request
    port, trust, token = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    authority = urllib.request.urlopen(f"http://127.0.0.1:{trust}/comlink.crt").read()
    context = ssl.create_default_context(cadata=ssl.DER_cert_to_PEM_cert(authority))
    link = http.client.HTTPSConnection("127.0.0.1", port, context=context)

    def ask(method, path, body=None, type="application/json", headers={}, token=token):
        if body is not None and type == "application/json":
            body = json.dumps(body)
        all = {"Content-Type": type} if body is not None else {}
        if token:
            all["Authorization"] = "Bearer " + token
        link.request(method, path, body, all | headers)
        answer = link.getresponse()
        return answer.status, answer.read()

    def told(method, path, *more, **named):
        status, body = ask(method, path, *more, **named)
        return status, json.loads(body) if body else None
    """#

  private static let messages = #"""
    sound = b"".join(struct.pack("<h", int(9000 * math.sin(i / 17))) for i in range(48000 * 5))
    wav = (b"RIFF" + struct.pack("<I", 36 + len(sound)) + b"WAVEfmt "
           + struct.pack("<IHHIIHH", 16, 1, 1, 48000, 96000, 2, 16)
           + b"data" + struct.pack("<I", len(sound)) + sound)
    base = "/api/v1/conversations"
    status, all = told("GET", base)
    member = next(c["id"] for c in all["conversations"] if c["name"] == "bert")
    messages = f"{base}/{member}/messages"
    status, said = told("POST", messages, {"text": "by REST"})
    text = f"{messages}/{said['id']}"
    print("text", status, told("PATCH", text, {"text": "by REST too"})[1]["text"])
    sign = text + "/reaction"
    print("sign", told("PUT", sign, {"emoji": "👍"})[1]["reactions"][0]["emoji"],
          told("PUT", sign, {"emoji": "a b"})[0],
          [r["sender"]["is_self"] for r in told("GET", messages)[1]["messages"][-1]["reactions"]],
          ask("DELETE", sign)[0], "reactions" in told("GET", text)[1])
    print("nobody", told("POST", base + "/nobody/messages", {"text": "x"})[0])
    print("long", told("POST", messages, {"text": "x" * 4097})[0])

    def send(file, type="audio/wav"):
        wish = {"file_name": "a", "file_size": len(file), "mime_type": type}
        status, place = told("POST", messages + "/audio/upload-url", wish)
        path = place["url"].split(str(port), 1)[1]
        put = told("PUT", path, file, type=type, headers=place["headers"], token=None)[0]
        wish = {"audio_url": place["url"], "file_size": len(file), "mime_type": type}
        first, made = told("POST", messages + "/audio", wish)
        return status, put, first, made, wish

    status, put, first, made, wish = send(wav)
    again = told("POST", messages + "/audio", wish)
    print("voice", status, put, first, again[0], made == again[1])
    print("damaged", send(wav[:44])[2], send(b"nothing of it", "audio/mpeg")[2])
    one = told("GET", f"{messages}/{made['id']}")[1]
    print("shown", one["kind"], round(one["audio"]["duration"]), one["recipients"][0]["name"])
    status, file = ask("GET", one["audio"]["url"])
    part = ask("GET", one["audio"]["url"], headers={"Range": "bytes=0-3"})
    print("heard", status, file[:4], part, len(file) > 10000)
    page = told("GET", messages + "?limit=2")[1]
    print("page", [m["kind"] for m in page["messages"]], page["next_before"] < made["sequence_number"])
    print("no text", told("PATCH", f"{messages}/{made['id']}", {"text": "x"})[0])
    print("deleted", ask("DELETE", f"{messages}/{made['id']}")[0],
          ask("GET", f"{messages}/{made['id']}")[0])
    print("stranger", told("GET", base, token=None)[0])
    """#

  private static let sessions = #"""
    import subprocess, time
    comlink = sys.argv[4:]
    token = told("POST", "/v1/auth/login", {"token": token}, token=None)[1]["access_token"]
    ask.__defaults__ = (None, "application/json", {}, token)
    base = "/v1/sessions"
    print("not agreed", told("POST", base + "/start", {})[0])
    subprocess.run([comlink[0], "assistant", "consent", "--keep"] + comlink[1:], check=True,
                   stdout=subprocess.DEVNULL)
    status, started = told("POST", base + "/start", {"context": "page"})
    name = started["session_id"]
    print("started", status, started["room_name"] == "assistant-" + name)
    status, said = told("POST", f"{base}/{name}/turn", {"text": "Who is on line two?"})
    print("said", status, [(t["speaker"], t["text"]) for t in said["turns"]])
    print("ended", ask("POST", base + "/end", {"session_id": name})[0])
    for _ in range(200):
        listed = told("GET", base)[1]
        # Until the model made one there is none, or what was asked first.
        if listed and listed[0].get("title") == "Line two":
            break
        time.sleep(0.05)
    print("listed", [(s["title"], s["summary_snippet"], "ended_at" in s) for s in listed])
    shown = told("GET", f"{base}/{name}")[1]
    print("shown", shown["summary"], len(shown["turns"]))
    print("deleted", ask("DELETE", f"{base}/{name}")[0], told("GET", base))
    """#

  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func started(_ name: String, _ own: Int, _ other: Int, _ more: [String]) async throws
    -> Program
  {
    let daemon = try Program(
      "comlinkd",
      [
        "--control", "\(folder.path)/\(name).sock", "--listen", "127.0.0.1:\(own)",
        "--peer", "127.0.0.1:\(other)", "--state", "\(folder.path)/\(name).state", "--name", name,
        "--jack-server", "none-\(own)",
      ] + more)
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
    return daemon
  }

  private func comlink(_ name: String, _ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run("comlink", arguments + ["--control", "\(folder.path)/\(name).sock"])
  }

  @Test func `a program with a token sends, reads, hears and deletes messages over HTTPS`()
    async throws
  {
    let ports = try (0..<4).map { _ in try MessageProgramTests.freePort() }
    let page = ["--page", "127.0.0.1:\(ports[2])", "--page-trust", "127.0.0.1:\(ports[3])"]
    var anna = try await started("anna", ports[0], ports[1], page)
    let bert = try await started("bert", ports[1], ports[0], [])
    let invitation = try await comlink("anna", ["group", "new", "crew", "--no-qr"]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try await comlink("bert", ["group", "join", invitation])
    while try await comlink("anna", ["say", "bert", "are you there?"]).code != 0 {
      try await Task.sleep(for: .milliseconds(200))
    }
    let made = try await comlink("anna", ["page", "token", "new", "desk", "--rights", "operate"])
    #expect(made.code == 0 && made.complaint.contains("page token revoke desk"))
    let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    // It outlives the daemon, and only its hash is anywhere on the disk.
    kill(anna.identifier, SIGTERM)
    _ = try await anna.outcome()
    let kept = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/anna.state")
    for file in kept {
      let octets = try Data(contentsOf: URL(filePath: "\(folder.path)/anna.state/\(file)"))
      #expect(octets.firstRange(of: Data(token.utf8)) == nil, "\(file)")
    }
    anna = try await started("anna", ports[0], ports[1], page)
    let told = try await Program.run(
      "/usr/bin/python3",
      ["-c", Self.client + "\n" + Self.messages, "\(ports[2])", "\(ports[3])", token])
    #expect(
      told.output == """
        text 201 by REST too
        sign 👍 422 [True] 204 False
        nobody 404
        long 413
        voice 200 200 201 200 True
        damaged 422 415
        shown audio 5 bert
        heard 200 b'OggS' (206, b'OggS') True
        page ['text', 'audio'] True
        no text 422
        deleted 204 404
        stranger 401

        """, "\(told.complaint)")
    let listed = try await comlink("anna", ["page", "token", "list"]).output
    #expect(listed.contains("desk") && listed.contains("operate, seen"))
    #expect(try await comlink("anna", ["page", "token", "revoke", "desk"]).code == 0)
    while !(try await comlink("bert", ["messages"]).output.contains("anna (edited): by REST too")) {
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(!anna.complaint.contains("by REST") && !anna.complaint.contains(token))
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/anna.state")
    #expect(!names.contains { $0.hasPrefix("upload-") })
    for daemon in [anna, bert] {
      kill(daemon.identifier, SIGTERM)
      _ = try await daemon.outcome()
    }
  }

  @Test func `a program signs in and talks with the assistant once somebody agreed`()
    async throws
  {
    let model = try ModelServer()
    model.answers = ["Anna and Bert.", "Title: Line two\\nSummary: Who is on it."]
    let ports = try (0..<4).map { _ in try MessageProgramTests.freePort() }
    let daemon = try await started(
      "anna", ports[0], ports[3],
      [
        "--page", "127.0.0.1:\(ports[1])", "--page-trust", "127.0.0.1:\(ports[2])",
        "--assistant-url", "http://127.0.0.1:\(model.port)/v1",
      ])
    let made = try await comlink("anna", ["page", "token", "new", "desk", "--rights", "operate"])
    let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    let told = try await Program.run(
      "/usr/bin/python3",
      [
        "-c", Self.client + "\n" + Self.sessions, "\(ports[1])", "\(ports[2])", token,
        Program.path(of: "comlink"), "--control", "\(folder.path)/anna.sock",
      ])
    #expect(
      told.output == """
        not agreed 409
        started 200 True
        said 200 [('user', 'Who is on line two?'), ('assistant', 'Anna and Bert.')]
        ended 204
        listed [('Line two', 'Who is on it.', True)]
        shown Who is on it. 2
        deleted 204 (200, [])

        """, "\(told.complaint)")
    kill(daemon.identifier, SIGTERM)
    _ = try await daemon.outcome()
  }
}
