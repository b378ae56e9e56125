public import Cryptography
public import Habits
public import Mesh
internal import Synchronization

/// What a node keeps from start to start: its identity, the number of its starts, its groups, whom it trusts, the mix,
/// its JACK ports, what others are called, who is signed in at its page.
///
/// Opening never fails for want of a disk, because a station must talk. Where the identity or the counter cannot be
/// read, written and synced, the node gets an identity for this run alone, and ``problem`` tells why: the kept one with
/// an old number of starts would be taken for a ghost of itself by those who know it, and two daemons on one directory
/// for each other. What others hold about the node (its name, gain and pairings) does then not apply, until the trouble
/// is cured and it is started again. Groups that can still be read are used all the same, but cannot be changed.
///
/// Any thread. A change of the groups writes to the disk in the calling thread, which may take its time; ``groups``
/// never waits for it.
public final class NodeState: Sendable {
  /// The most groups a node can be in: as many as an announcement has hints for.
  public static let groupLimit = 16
  /// The file of settings that were chosen on the station, in the directory: TOML, as the configuration file.
  public static let chosenName = "chosen.toml"

  private let key: NodeKey
  private let disk: (any Disk)?
  private let kept: Mutex<[Group]>
  /// Held while a change is under way, so that one comes after the other; ``kept`` is held to look and to swap only.
  private let changing = Mutex(())

  /// The number of this start, greater than that of each before it.
  public let instance: UInt64
  /// Where it is kept; nil: nowhere.
  public let directory: String?
  /// Why the identity is for this run alone; nil: it is the one that is kept.
  public let problem: StoreError?
  /// Why the groups could not be read; nil: they were.
  public let groupsProblem: StoreError?
  /// Whom the node trusted, kept out and knew when it started.
  public let memory: MeshMemory
  /// Why that could not be read; nil: it was.
  public let memoryProblem: StoreError?
  /// What the user had set of the sound when it started.
  public let mix: Mix
  /// Why that could not be read; nil: it was.
  public let mixProblem: StoreError?
  /// Which JACK ports were connected when it ended.
  public let ports: PortMemory
  /// Why that could not be read; nil: it was.
  public let portsProblem: StoreError?
  /// What members were called when it ended.
  public let names: NameMemory
  /// Why that could not be read; nil: it was.
  public let namesProblem: StoreError?
  /// Who was signed in at the page when it started, and why that could not be read.
  public let page: (sessions: KeptPage, problem: StoreError?)
  /// Who had a token for the page when it started, and why that could not be read.
  public let tokens: (holders: KeptPage, problem: StoreError?)
  /// Whether its user refused to be captioned; where that cannot be read: refused, and why.
  public let captions: (kept: KeptCaptions, problem: StoreError?)
  /// The lines that the node was on, and its keys, and why that could not be read.
  public let lines: (kept: KeptLines, problem: StoreError?)

  /// Opens the state in a directory, and counts this start.
  ///
  /// - Parameters:
  ///   - directory: nil when nothing says where (``StatePath``).
  ///   - unixSeconds: the wall clock's time.
  /// - Throws: `CryptoError` where there are no random numbers or no memory, so not even an identity for this run.
  public convenience init(directory: String?, unixSeconds: Int64) throws(CryptoError) {
    try self.init(directory: directory, unixSeconds: unixSeconds) { () throws(StoreError) in
      guard let directory else { throw .noPlace }
      return try SystemDisk(directory: directory)
    }
  }

  init(
    directory: String? = nil, unixSeconds: Int64, disk open: () throws(StoreError) -> any Disk
  ) throws(CryptoError) {
    var disk: (any Disk)?
    var start: Start?
    var problem: StoreError?
    do throws(StoreError) {
      let opened = try open()
      disk = opened
      start = try Start.count(on: opened, unixSeconds: unixSeconds)
    } catch {
      problem = error
    }
    let known: (groups: [Group], problem: StoreError?) =
      disk.map { GroupFile(disk: $0).outcome } ?? ([], nil)
    let remembered: (memory: MeshMemory, problem: StoreError?) =
      disk.map { MemoryFile(disk: $0).outcome } ?? (MeshMemory(), nil)
    (memory, memoryProblem) = (remembered.memory, remembered.problem)
    let mixed: (mix: Mix, problem: StoreError?) =
      disk.map { MixFile(disk: $0).outcome } ?? (Mix(), nil)
    (mix, mixProblem) = (mixed.mix, mixed.problem)
    let connected: (ports: PortMemory, problem: StoreError?) =
      disk.map { PortsFile(disk: $0).outcome } ?? (PortMemory(), nil)
    (ports, portsProblem) = (connected.ports, connected.problem)
    let called: (names: NameMemory, problem: StoreError?) =
      disk.map { NamesFile(disk: $0).outcome } ?? (NameMemory(), nil)
    (names, namesProblem) = (called.names, called.problem)
    page = disk.map { PageFile(disk: $0).outcome } ?? (KeptPage(), nil)
    tokens = disk.map { PageFile(disk: $0, holders: .tokens).outcome } ?? (KeptPage(), nil)
    captions = disk.map { CaptionsFile(disk: $0).outcome } ?? (KeptCaptions(), nil)
    lines = disk.map { LinesFile(disk: $0).outcome } ?? (KeptLines(), nil)
    self.disk = disk
    self.directory = directory
    self.problem = problem
    kept = Mutex(known.groups)
    groupsProblem = known.problem
    if let start = consume start {
      instance = start.instance
      key = start.key
    } else {
      instance = 1
      key = try NodeKey()
    }
  }

  /// The node's stable name; of this run alone where there is a ``problem``.
  public var id: NodeID { key.id }

  /// The half of its key that everybody may know.
  public var publicKey: PublicKey { key.publicKey }

  /// Signs a message as this node.
  public func signature(of message: RawSpan) throws(CryptoError) -> [UInt8] {
    try key.signature(of: message)
  }

  /// Opens what was sealed to this node (``PublicKey/seal(_:)``); nil: it was not, or it is damaged.
  public func open(_ box: [UInt8]) -> [UInt8]? { key.open(box) }

  /// The key of what this node shows to browsers, derived from its identity: the same until that is another.
  public func pageKey(for purpose: PageKeyPurpose) throws(CryptoError) -> P256Key {
    try key.withSeed { seed throws(CryptoError) in
      try P256Key(of: seed, for: purpose.rawValue)
    }
  }

  /// The groups it is in, in the order in which it came to them.
  public var groups: [Group] { kept.withLock { $0 } }

  /// Makes a group of that name with a new secret, and keeps it.
  public func makeGroup(named name: String) throws(StoreError) -> Group {
    let group: Group
    do throws(CryptoError) { group = try Group(name: name) } catch { throw .crypto(error) }
    try change { groups throws(StoreError) in
      guard !groups.contains(where: { $0.name == name }) else { throw .groupExists(name: name) }
      groups.append(group)
    }
    return group
  }

  /// Takes a group from its text; taking one again changes nothing.
  public func join(invitation: String) throws(StoreError) -> Group {
    let group: Group
    do throws(CryptoError) { group = try Group(invitation: invitation) } catch {
      throw .crypto(error)
    }
    try change { groups throws(StoreError) in
      if let same = groups.first(where: { $0.hasSameSecret(as: group) }) {
        guard same.name == group.name else { throw .sameGroup(name: same.name) }
        return
      }
      guard !groups.contains(where: { $0.name == group.name }) else {
        throw .groupExists(name: group.name)
      }
      groups.append(group)
    }
    return group
  }

  /// Forgets a group and its secret.
  public func leave(group name: String) throws(StoreError) {
    try change { groups throws(StoreError) in
      guard let index = groups.firstIndex(where: { $0.name == name }) else {
        throw .noSuchGroup(name: name)
      }
      groups.remove(at: index)
    }
  }

  /// Keeps a new identity, which the node has from its next start on; groups, trust and habits stay.
  ///
  /// - Returns: who it is then.
  public func renewIdentity() throws(StoreError) -> NodeID {
    try changing.withLock { _ throws(StoreError) in
      guard let disk else { throw .notKept(reason: "\(problem ?? .noPlace)") }
      return try IdentityFile(disk: disk).renew()
    }
  }

  /// The same in a directory that no daemon uses.
  ///
  /// - Returns: the words of who it is then.
  /// - Throws: `StoreError.busy` where one does.
  public static func renewIdentity(in directory: String) throws(StoreError) -> [String] {
    try IdentityFile(disk: try SystemDisk(directory: directory)).renew().words
  }

  /// Keeps whom the node trusts, keeps out and knows; where it cannot keep anything, that is so for this run.
  public func keep(_ memory: MeshMemory) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      if let reason = memoryProblem ?? (disk == nil ? problem : nil) {
        throw .notKept(reason: "\(reason)")
      }
      guard let disk else { return }
      try MemoryFile(disk: disk).write(memory)
    }
  }

  /// Keeps what the user set of the sound, in place of a file that could not be read, too:
  /// nothing but habit is lost with that.
  public func keep(_ mix: Mix) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      if disk == nil, let problem { throw .notKept(reason: "\(problem)") }
      guard let disk else { return }
      try MixFile(disk: disk).write(mix)
    }
  }

  /// Keeps which JACK ports are connected; as the mix, in place of a file that could not be read, too.
  public func keep(_ ports: PortMemory) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      if disk == nil, let problem { throw .notKept(reason: "\(problem)") }
      guard let disk else { return }
      try PortsFile(disk: disk).write(ports)
    }
  }

  /// Keeps what members are called; as the mix, in place of a file that could not be read, too.
  public func keep(_ names: NameMemory) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      if disk == nil, let problem { throw .notKept(reason: "\(problem)") }
      guard let disk else { return }
      try NamesFile(disk: disk).write(names)
    }
  }

  /// Keeps who is signed in at the page; as the mix, in place of a file that could not be read, too.
  public func keep(_ page: KeptPage) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      if disk == nil, let problem { throw .notKept(reason: "\(problem)") }
      guard let disk else { return }
      try PageFile(disk: disk).write(page)
    }
  }

  /// Keeps who has a token for the page; as the mix, in place of a file that could not be read, too.
  public func keep(tokens: KeptPage) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      if disk == nil, let problem { throw .notKept(reason: "\(problem)") }
      guard let disk else { return }
      try PageFile(disk: disk, holders: .tokens).write(tokens)
    }
  }

  /// Keeps lines and keys; as the mix, in place of a file that could not be read, too.
  public func keep(_ lines: KeptLines) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      if disk == nil, let problem { throw .notKept(reason: "\(problem)") }
      guard let disk else { return }
      try LinesFile(disk: disk).write(lines)
    }
  }

  /// Keeps whether the user refuses to be captioned; as the mix, in place of a file that could not be read, too.
  public func keep(_ captions: KeptCaptions) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      if disk == nil, let problem { throw .notKept(reason: "\(problem)") }
      guard let disk else { return }
      try CaptionsFile(disk: disk).write(captions)
    }
  }

  /// Keeps the text of ``chosenName``, which is read before there is a state; nil: removes it.
  public func keep(chosen text: String?) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      guard let disk else { throw .notKept(reason: "\(problem ?? .noPlace)") }
      if let text {
        let octets = Array(text.utf8)
        return try unsafe disk.replace(Self.chosenName, with: octets.span.bytes)
      }
      disk.remove(Self.chosenName)
      try disk.syncDirectory()
      guard try disk.read(Self.chosenName) == nil else {
        throw .notKept(reason: "\(disk.path(of: Self.chosenName)) cannot be removed")
      }
    }
  }

  /// What the mirror of voice messages had done, as ``keep(mirror:)`` took it; nil: nothing is known.
  public func mirror() throws(StoreError) -> [UInt8]? {
    try disk.flatMap { disk throws(StoreError) in try MirrorFile(disk: disk).read() }
  }

  /// Keeps what the mirror of voice messages has done.
  public func keep(mirror octets: [UInt8]) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      if disk == nil, let problem { throw .notKept(reason: "\(problem)") }
      guard let disk else { return }
      try MirrorFile(disk: disk).write(octets)
    }
  }

  /// Changes the groups once the change is kept; if it cannot be, there is none.
  private func change(_ body: (inout [Group]) throws(StoreError) -> Void) throws(StoreError) {
    try changing.withLock { _ throws(StoreError) in
      let before = groups
      var changed = before
      try body(&changed)
      guard changed.count <= Self.groupLimit else { throw .tooManyGroups(limit: Self.groupLimit) }
      guard changed.count != before.count else { return }
      if let reason = groupsProblem ?? (disk == nil ? problem : nil) {
        throw .notKept(reason: "\(reason)")
      }
      guard let disk else { return }
      try GroupFile(disk: disk).write(changed)
      kept.withLock { $0 = changed }
    }
  }
}

/// What a start reads and writes: the identity, and its own number.
private struct Start: ~Copyable {
  let key: NodeKey
  let instance: UInt64

  /// The number comes before the identity on the disk: whoever has an identity has a number too, unless it was lost.
  static func count(on disk: any Disk, unixSeconds: Int64) throws(StoreError) -> Start {
    let counter = InstanceCounter(disk: disk)
    let identity = IdentityFile(disk: disk)
    if let known = try identity.read() {
      let instance = try counter.next(isKnown: true, unixSeconds: unixSeconds)
      return Start(key: known, instance: instance)
    }
    let new = try newKey()
    let instance = try counter.next(isKnown: false, unixSeconds: unixSeconds)
    try identity.write(new)
    return Start(key: new, instance: instance)
  }

  private static func newKey() throws(StoreError) -> NodeKey {
    do throws(CryptoError) { return try NodeKey() } catch { throw .crypto(error) }
  }
}

extension GroupFile {
  /// The groups, or none and why.
  fileprivate var outcome: (groups: [Group], problem: StoreError?) {
    do throws(StoreError) { return (try read(), nil) } catch { return ([], error) }
  }
}

extension MemoryFile {
  /// What was kept, or nothing and why.
  fileprivate var outcome: (memory: MeshMemory, problem: StoreError?) {
    do throws(StoreError) { return (try read(), nil) } catch { return (MeshMemory(), error) }
  }
}

extension MixFile {
  /// What was kept, or nothing and why.
  fileprivate var outcome: (mix: Mix, problem: StoreError?) {
    do throws(StoreError) { return (try read(), nil) } catch { return (Mix(), error) }
  }
}

extension PortsFile {
  /// What was kept, or nothing and why.
  fileprivate var outcome: (ports: PortMemory, problem: StoreError?) {
    do throws(StoreError) { return (try read(), nil) } catch { return (PortMemory(), error) }
  }
}

extension PageFile {
  /// What was kept, or nothing and why.
  fileprivate var outcome: (sessions: KeptPage, problem: StoreError?) {
    do throws(StoreError) { return (try read(), nil) } catch { return (KeptPage(), error) }
  }
}

extension NamesFile {
  /// What was kept, or nothing and why.
  fileprivate var outcome: (names: NameMemory, problem: StoreError?) {
    do throws(StoreError) { return (try read(), nil) } catch { return (NameMemory(), error) }
  }
}
