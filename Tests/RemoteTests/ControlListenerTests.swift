import Glibc
import Testing

@testable import ControlSocket
@testable import Remote

@Suite(.serialized, .ownThread) struct ControlListenerTests {
  let directory = TemporaryDirectory()
  var path: String { directory.file("run/control.sock") }

  @Test(arguments: [0o000, 0o022, 0o077])
  func `only owner and group can use the socket, whatever the umask`(mask: UInt32) throws {
    let before = umask(mask)
    defer { umask(before) }
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    let facts = try #require(FileFacts(path))
    #expect(facts.isSocket)
    #expect(facts.mode == 0o660)
    #expect(FileFacts(directory.file("run"))?.mode == 0o750)
  }

  @Test func `a directory that is there keeps its mode`() throws {
    unsafe mkdir(directory.file("run"), 0o700)
    unsafe chmod(directory.file("run"), 0o711)
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    #expect(FileFacts(directory.file("run"))?.mode == 0o711)
  }

  @Test func `a socket that nobody answers is replaced`() throws {
    unsafe mkdir(directory.file("run"), 0o750)
    let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(try UnixAddress(path: path).bind(dead) == 0)
    _ = close(dead)
    let stale = try #require(FileFacts(path))
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    var client = try ControlClient(path: path, timeout: .seconds(60))
    #expect(try client.request(.talk(isOn: true)) == .ok)
    #expect(stale.isSocket)
  }

  @Test func `a second server is refused in words and the first goes on`() throws {
    let first = try ControlServer(path: path, handler: RecordingHandler())
    defer { first.stop() }
    let path = path
    let error = #expect(throws: RemoteError.self) {
      try ControlServer(path: path, handler: RecordingHandler())
    }
    #expect(error == .alreadyServed(path: path))
    #expect("\(try #require(error))".hasPrefix("another comlinkd answers at \(path)"))
    var client = try ControlClient(path: path, timeout: .seconds(60))
    #expect(try client.request(.talk(isOn: true)) == .ok)
  }

  @Test func `of many servers that start at once over a stale socket exactly one serves`()
    async throws
  {
    unsafe mkdir(directory.file("run"), 0o750)
    let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(try UnixAddress(path: path).bind(dead) == 0)
    _ = close(dead)
    let path = path
    let servers = await withTaskGroup(of: ControlServer?.self) { group in
      for _ in 0..<8 {
        group.addTask { try? ControlServer(path: path, handler: RecordingHandler()) }
      }
      return await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
    }
    #expect(servers.count == 1)
    var client = try ControlClient(path: path, timeout: .seconds(60))
    #expect(try client.request(.talk(isOn: true)) == .ok)
    for server in servers { server.stop() }
  }

  @Test func `a file that is not a socket is left alone`() throws {
    unsafe mkdir(directory.file("run"), 0o750)
    _ = close(unsafe open(path, O_WRONLY | O_CREAT, 0o600))
    let path = path
    #expect(throws: RemoteError.notASocket(path: path)) {
      try ControlServer(path: path, handler: RecordingHandler())
    }
    #expect(FileFacts(path)?.isSocket == false)
  }

  @Test(.enabled(if: getuid() == 0, "only root can give files away"))
  func `the socket of another user is left alone`() throws {
    unsafe mkdir(directory.file("run"), 0o750)
    let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(try UnixAddress(path: path).bind(dead) == 0)
    _ = close(dead)
    unsafe lchown(path, 12_345, 12_345)
    let path = path
    #expect(throws: RemoteError.foreignSocket(path: path, ownerID: 12_345)) {
      try ControlServer(path: path, handler: RecordingHandler())
    }
    #expect(FileFacts(path) != nil)
  }

  @Test func `a directory in a shared place must be out of others' reach`() throws {
    let shared = directory.file("shared")
    unsafe mkdir(shared, 0o777)
    unsafe chmod(shared, 0o1777)
    let made = try ControlServer(
      path: "\(shared)/new/control.sock", handler: RecordingHandler())
    defer { made.stop() }
    #expect(FileFacts("\(shared)/new")?.mode == 0o700)

    unsafe mkdir("\(shared)/open", 0o777)
    unsafe chmod("\(shared)/open", 0o777)
    unsafe symlink(directory.path, "\(shared)/link")
    for (name, reason) in [
      ("open", "other users may write to it"), ("link", "it is not a directory"),
    ] {
      let trap = "\(shared)/\(name)"
      #expect(throws: RemoteError.untrustedDirectory(path: trap, reason: reason)) {
        try ControlServer(path: "\(trap)/control.sock", handler: RecordingHandler())
      }
    }
  }

  @Test func `a path that no socket can have is refused in words`() throws {
    let long = directory.file(String(repeating: "x", count: 120))
    #expect(throws: RemoteError.pathTooLong(path: long, limitBytes: 107)) {
      try ControlServer(path: long, handler: RecordingHandler())
    }
    #expect(throws: RemoteError.pathTooLong(path: long, limitBytes: 107)) {
      _ = try ControlClient(path: long)
    }
    let lost = directory.file("no/such/control.sock")
    let error = #expect(throws: RemoteError.self) {
      try ControlServer(path: lost, handler: RecordingHandler())
    }
    #expect("\(try #require(error))".contains("no/such: No such file or directory"))
  }
}
