import Cryptography
import Glibc
import Synchronization
import Testing

@testable import Store

@Suite struct NodeStateTests {
  private static let now: Int64 = 1_800_000_000
  /// More steps than a start or a change has.
  private static let steps = 30

  private func start(_ disk: ModelDisk) throws -> NodeState {
    try NodeState(unixSeconds: Self.now) { disk }
  }

  @Test func `a node is the same at each start, and counts them`() throws {
    let disk = ModelDisk()
    let first = try start(disk)
    let second = try start(disk)
    #expect(first.problem == nil && second.problem == nil)
    #expect(first.id == second.id)
    #expect((first.instance, second.instance) == (UInt64(Self.now), UInt64(Self.now) + 1))
  }

  @Test(arguments: 0..<steps)
  func `power cuts in the first start leave the identity it had, or none that anybody saw`(
    step: Int
  ) throws {
    let disk = ModelDisk(atStep: step)
    let first = try start(disk)
    for remains in disk.possibleRemains {
      let second = try start(ModelDisk(remains))
      #expect(second.problem == nil)
      guard first.problem == nil else { continue }
      #expect(second.id == first.id)
      #expect(second.instance > first.instance)
    }
  }

  @Test(arguments: 0..<steps, [ENOSPC, EROFS, EIO])
  func `on a disk that fails the node runs as another, and is itself again after it`(
    step: Int, code: Int32
  ) throws {
    let healthy = ModelDisk()
    let first = try start(healthy)
    let group = try first.makeGroup(named: "crew")
    let disk = ModelDisk(healthy.files, fault: .failsFromThenOn(code), atStep: step)
    let second = try start(disk)
    if second.problem != nil {
      #expect(second.id != first.id)
    } else {
      #expect(second.id == first.id && second.instance > first.instance)
    }
    #expect(second.groups.map(\.name) == ["crew"])
    #expect(second.groups.first?.hasSameSecret(as: group) == true)
    let third = try start(ModelDisk(disk.files))
    #expect(third.problem == nil && third.id == first.id && third.instance > first.instance)
  }

  @Test func `a damaged identity is neither used nor replaced`() throws {
    let disk = ModelDisk()
    let first = try start(disk)
    var files = disk.files
    files["identity"]?[20] ^= 1
    let second = try start(ModelDisk(files))
    #expect(second.id != first.id)
    #expect(
      second.problem == .corrupt(path: "/model/identity", what: "this node's identity"))
  }

  @Test func `without a place the node runs, and says why`() throws {
    let state = try NodeState(directory: nil, unixSeconds: Self.now)
    #expect(state.problem == .noPlace)
    #expect(throws: StoreError.notKept(reason: "\(StoreError.noPlace)")) {
      try state.makeGroup(named: "crew")
    }
    #expect(state.groups.isEmpty)
  }

  @Test func `groups are there after a restart, in their order, until they are left`() throws {
    let disk = ModelDisk()
    let first = try start(disk)
    let crew = try first.makeGroup(named: "crew")
    let foh = try first.makeGroup(named: "FOH")
    let second = try start(disk)
    #expect(second.groups.map(\.name) == ["crew", "FOH"])
    #expect(second.groups.map(\.words) == [crew.words, foh.words])
    try second.leave(group: "crew")
    #expect(try start(disk).groups.map(\.name) == ["FOH"])
  }

  @Test(arguments: 0..<6)
  func `power cuts while a group is made leave the groups before or after it`(step: Int) throws {
    let before = ModelDisk()
    _ = try start(before).makeGroup(named: "crew")
    let state = try start(before)
    let disk = ModelDisk(before.files, atStep: step + 6)
    let cut = try start(disk)
    #expect(cut.problem == nil)
    #expect(throws: StoreError.self) { try cut.makeGroup(named: "FOH") }
    #expect(cut.groups.map(\.name) == ["crew"])
    for remains in disk.possibleRemains {
      let names = try start(ModelDisk(remains)).groups.map(\.name)
      #expect(names == ["crew"] || names == ["crew", "FOH"])
    }
    #expect(state.groups.count == 1)
  }

  @Test func `the holders of an invitation have the same group`() throws {
    let (one, other) = (try start(ModelDisk()), try start(ModelDisk()))
    let group = try one.makeGroup(named: "crew")
    _ = try other.join(invitation: group.invitation)
    _ = try other.join(invitation: group.invitation)
    #expect(other.groups.count == 1)
    #expect(other.groups.first?.hasSameSecret(as: group) == true)
  }

  @Test func `what makes no sense is refused, and changes nothing`() throws {
    let state = try start(ModelDisk())
    let group = try state.makeGroup(named: "crew")
    #expect(throws: StoreError.groupExists(name: "crew")) { try state.makeGroup(named: "crew") }
    let foreign = try Group(name: "crew").invitation
    #expect(throws: StoreError.groupExists(name: "crew")) { try state.join(invitation: foreign) }
    let renamed = try Group(
      name: "band",
      secret: group.withSecret { secret throws(CryptoError) in
        try SecretBytes(copying: secret)
      }
    ).invitation
    #expect(throws: StoreError.sameGroup(name: "crew")) { try state.join(invitation: renamed) }
    #expect(throws: StoreError.noSuchGroup(name: "band")) { try state.leave(group: "band") }
    #expect(throws: StoreError.self) { try state.join(invitation: "comlink:group/crew/a") }
    #expect(throws: StoreError.self) { try state.makeGroup(named: "") }
    #expect(state.groups.map(\.name) == ["crew"])
  }

  @Test func `there is a limit to the groups`() throws {
    let state = try start(ModelDisk())
    for number in 1...NodeState.groupLimit { _ = try state.makeGroup(named: "\(number)") }
    #expect(throws: StoreError.tooManyGroups(limit: NodeState.groupLimit)) {
      try state.makeGroup(named: "one more")
    }
  }

  /// A disk that lets the test look while it syncs.
  private struct WatchedDisk: Disk {
    let disk: ModelDisk
    let onSync: @Sendable () -> Void

    func read(_ name: String) throws(StoreError) -> SecretBytes? { try disk.read(name) }
    func create(_ name: String) throws(StoreError) -> Int32 { try disk.create(name) }
    func write(_ bytes: RawSpan, to file: Int32, _ name: String) throws(StoreError) {
      try disk.write(bytes, to: file, name)
    }
    func sync(_ file: Int32, _ name: String) throws(StoreError) {
      onSync()
      try disk.sync(file, name)
    }
    func close(_ file: Int32) { disk.close(file) }
    func rename(_ name: String, to newName: String) throws(StoreError) {
      try disk.rename(name, to: newName)
    }
    func syncDirectory() throws(StoreError) { try disk.syncDirectory() }
    func remove(_ name: String) { disk.remove(name) }
    func path(of name: String) -> String { disk.path(of: name) }
  }

  @Test func `groups can be looked at while a change of them is written`() throws {
    let seen = Mutex<[[String]]>([])
    let watched = Mutex<NodeState?>(nil)
    let disk = WatchedDisk(disk: ModelDisk()) {
      let state = watched.withLock { $0 }
      if let state { seen.withLock { $0.append(state.groups.map(\.name)) } }
    }
    let state = try NodeState(unixSeconds: Self.now) { disk }
    watched.withLock { $0 = state }
    _ = try state.makeGroup(named: "crew")
    _ = try state.makeGroup(named: "FOH")
    #expect(seen.withLock { $0 } == [[], ["crew"]])
    watched.withLock { $0 = nil }
    #expect(state.groups.map(\.name) == ["crew", "FOH"])
  }

  @Test(arguments: ["", "a\u{7}b"])
  func `a name in the file that no group can have is told with the file`(name: String) throws {
    let content =
      [0, 1, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8](repeating: 7, count: 32)
    let file = try unsafe Record(kind: "groups").file(content.span.bytes)
    let octets = file.withBytes { unsafe $0.withUnsafeBytes { unsafe Array($0) } }
    let state = try start(ModelDisk(["groups": octets]))
    let problem = StoreError.corrupt(path: "/model/groups", what: "all groups of this node")
    #expect(state.groupsProblem == problem)
    #expect(state.groups.isEmpty)
  }

  @Test func `a damaged file of groups is neither used nor replaced`() throws {
    let disk = ModelDisk()
    _ = try start(disk).makeGroup(named: "crew")
    var files = disk.files
    files["groups"]?[30] ^= 1
    let damaged = ModelDisk(files)
    let state = try start(damaged)
    #expect(state.problem == nil)
    #expect(state.groupsProblem != nil)
    #expect(throws: StoreError.self) { try state.makeGroup(named: "FOH") }
    #expect(damaged.files["groups"] == files["groups"])
  }
}
