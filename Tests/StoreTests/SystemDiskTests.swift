import Cryptography
import Foundation
import Mesh
import Testing

@testable import Store

@Suite struct SystemDiskTests {
  private static let now: Int64 = 1_800_000_000

  /// A directory of its own that goes with the value.
  private final class Folder {
    let path: String

    init() throws {
      path = NSTemporaryDirectory() + "comlink-store-\(UUID().uuidString)"
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func mode(_ name: String) throws -> Int {
      let facts = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
      return try #require(facts[.posixPermissions] as? Int)
    }

    func setMode(_ mode: Int, of name: String) throws {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
    }
  }

  private func state(_ path: String) throws -> NodeState {
    try NodeState(directory: path, unixSeconds: Self.now)
  }

  @Test func `state is made for its owner only, missing directories above it too`() throws {
    let folder = try Folder()
    let path = "\(folder.path)/state/comlink"
    var id: NodeID?
    do {
      let first = try state(path)
      #expect(first.problem == nil)
      _ = try first.makeGroup(named: "crew")
      id = first.id
    }
    let second = try state(path)
    #expect(second.id == id && second.instance == UInt64(Self.now) + 1)
    #expect(second.groups.map(\.name) == ["crew"])
    #expect(try folder.mode("state/comlink") == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    #expect(names == ["groups", "identity", "instance-a", "instance-b", "lock"])
    for name in names { #expect(try folder.mode("state/comlink/\(name)") == 0o600) }
  }

  @Test
  func
    `however many members there were, what is kept is read again, whom it trusts and blocks too`()
    throws
  {
    let folder = try Folder()
    func node(_ number: Int) throws -> NodeID {
      var octets = [UInt8](repeating: 1, count: NodeID.byteCount)
      (octets[0], octets[1]) = (UInt8(number >> 8), UInt8(number & 0xFF))
      return try #require(NodeID(octets: octets))
    }
    let addresses = (0..<8).map { NodeAddress(.ipv6(0x2001_0DB8 << 32, UInt64($0)), port: 5004) }
    let entries = try (0..<1024).map {
      NodeRecord(node: try node($0), instance: UInt64($0), addresses: addresses)
    }
    for listedCount in [1, 600] {
      let (trusted, blocked) = (
        Set(try (0..<listedCount).map(node)), Set(try (2000..<(2000 + listedCount)).map(node))
      )
      do {
        let memory = MeshMemory(trusted: trusted, blocked: blocked, entries: entries)
        try state(folder.path).keep(memory)
      }
      let kept = try state(folder.path)
      #expect(kept.memoryProblem == nil)
      #expect(kept.memory.trusted == trusted && kept.memory.blocked == blocked)
      #expect(kept.memory.entries.last?.node == entries.last?.node)
      if listedCount == 1 {
        #expect(kept.memory.entries.last == entries.last, "the latest with its addresses")
      }
      #expect(
        kept.memory.entries.first.map { trusted.contains($0.node) && $0.addresses.isEmpty } == true,
        "whom it trusts stays, the oldest without addresses")
      try kept.keep(kept.memory)
    }
    let tooMany = MeshMemory(trusted: Set(try (0..<3000).map(node)))
    #expect(throws: StoreError.self) { try state(folder.path).keep(tooMany) }
    #expect(try state(folder.path).memoryProblem == nil)
  }

  @Test func `two nodes cannot use one directory at a time`() throws {
    let folder = try Folder()
    let first = try state(folder.path)
    let second = try state(folder.path)
    #expect(second.problem == .busy(path: folder.path))
    #expect(second.id != first.id)
    #expect(first.instance == UInt64(Self.now))
  }

  @Test(arguments: [0o604, 0o640, 0o620, 0o666])
  func `a secret that others may read or change is not used`(mode: Int) throws {
    let folder = try Folder()
    let id = try state(folder.path).id
    try folder.setMode(mode, of: "identity")
    let second = try state(folder.path)
    #expect(second.id != id)
    #expect(
      second.problem
        == .exposed(path: "\(folder.path)/identity", mode: UInt32(mode), wanted: 0o600))
    try folder.setMode(0o600, of: "identity")
    #expect(try state(folder.path).problem == .busy(path: folder.path))
    withExtendedLifetime(second) {}
  }

  @Test func `a directory that others may read is narrowed, one they may write is refused`() throws
  {
    let folder = try Folder()
    try folder.setMode(0o755, of: ".")
    #expect(try state(folder.path).problem == nil)
    #expect(try folder.mode(".") == 0o700)
    try folder.setMode(0o770, of: ".")
    #expect(
      try state(folder.path).problem == .exposed(path: folder.path, mode: 0o770, wanted: 0o700))
  }

  @Test func `links, directories and pipes in place of files are refused`() throws {
    let folder = try Folder()
    let identity = "\(folder.path)/identity"
    let plants: [() throws -> Void] = [
      {
        try FileManager.default.createSymbolicLink(
          atPath: identity, withDestinationPath: "/etc/passwd")
      },
      {
        try FileManager.default.createDirectory(
          atPath: identity, withIntermediateDirectories: false)
      },
      { #expect(unsafe mkfifo(identity, 0o600) == 0) },
    ]
    for plant in plants {
      try plant()
      #expect(
        try state(folder.path).problem == .wrongKind(path: identity, wanted: "plain file"))
      try FileManager.default.removeItem(atPath: identity)
    }
  }

  @Test func `a file that cannot be opened is told, and not taken for none`() throws {
    let folder = try Folder()
    let path = "\(folder.path)/state"
    _ = try state(path)
    let name = String(repeating: "x", count: 300)
    let disk = try SystemDisk(directory: path)
    // Every user is refused a name that is too long, root too.
    let error = StoreError.system(attempt: "read", path: "\(path)/\(name)", code: ENAMETOOLONG)
    #expect(throws: error) { if try disk.read(name) != nil { Issue.record("read") } }
  }

  @Test func `a trailing slash makes no difference`() throws {
    let folder = try Folder()
    #expect(try state("\(folder.path)/deep/er/").problem == nil)
    #expect(try state("\(folder.path)/deep/er").instance == UInt64(Self.now) + 1)
  }

  @Test func `a file of many groups is read whole`() throws {
    let folder = try Folder()
    do {
      let first = try state(folder.path)
      for number in 1...NodeState.groupLimit {
        _ = try first.makeGroup(named: "\(number)" + String(repeating: "x", count: 60))
      }
    }
    #expect(try state(folder.path).groups.count == NodeState.groupLimit)
  }

  @Test(arguments: [EBADF, ENOLCK, EOPNOTSUPP])
  func `a file system that cannot lock is told as the cause`(code: Int32) {
    let words = "\(SystemDisk.lockError(code: code, "/nfs/state"))"
    #expect(
      words == "the file system of /nfs/state cannot lock files; use another --state")
  }

  @Test func `a directory that cannot be synced is done`() throws {
    let directory = unsafe open("/proc", O_RDONLY | O_DIRECTORY)
    defer { close(directory) }
    #expect(fsync(directory) == -1 && errno == EINVAL)
    try SystemDisk.syncNames(directory, "/proc")
  }

  @Test func `what is the service's is not advised to be taken from it`() {
    for error in [
      StoreError.foreign(path: "/var/lib/comlink", ownerID: 998),
      .system(attempt: "open", path: "/var/lib/comlink", code: EACCES),
    ] {
      #expect(!"\(error)".contains("chown") && "\(error)".contains("; run comlinkd as"))
    }
    let foreign = StoreError.foreign(path: "/var/lib/comlink", ownerID: 998)
    #expect("\(foreign)".contains("run comlinkd as user 998, or use another --state"))
    #expect("\(StoreError.foreign(path: "/home/a/state", ownerID: 7))".contains("chown"))
  }

  @Test func `a file in place of the directory is told`() throws {
    let folder = try Folder()
    let path = "\(folder.path)/file"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(try state(path).problem == .wrongKind(path: path, wanted: "directory"))
  }

  @Test func `a full disk is told with what to do`() throws {
    let folder = try Folder()
    let disk = try SystemDisk(directory: folder.path)
    let full = unsafe open("/dev/full", O_WRONLY)
    defer { close(full) }
    let error = #expect(throws: StoreError.self) {
      try unsafe disk.write([1].span.bytes, to: full, "identity")
    }
    #expect(error.map { "\($0)".contains("free some space") } == true)
  }

  @Test(
    arguments: [
      (["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "HOME": "/h"], 7, "/var/lib/a"),
      (["STATE_DIRECTORY": "relative", "HOME": "/h"], 7, "/h/.local/state/comlink"),
      (["HOME": "/root", "XDG_STATE_HOME": "/x"], 0, "/var/lib/comlink"),
      (["HOME": "/h", "XDG_STATE_HOME": "/x"], 7, "/x/comlink"),
      (["HOME": "/h", "XDG_STATE_HOME": "x"], 7, "/h/.local/state/comlink"),
      ([:], 7, nil),
    ] as [([String: String], UInt32, String?)])
  func `the place follows systemd, then the user`(
    environment: [String: String], userID: UInt32, path: String?
  ) {
    #expect(StatePath.standard(environment: environment, userID: userID) == path)
  }
}
