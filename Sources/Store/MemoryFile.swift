internal import Cryptography
internal import Mesh

/// The file of what the mesh remembers: nodes let in, nodes kept out, nodes that were members.
///
/// Three lists, each after its length in two octets. Of the first two an entry is an ID; of the third an ID, the
/// instance in 8 octets, and, after their number in an octet, addresses: a family (4 or 6), the address, the port in 2
/// octets. Addresses that hold on one link only are not kept. Where nodes were forgotten, a fourth list has them,
/// likewise: an ID and the instance.
///
/// What is written can be read: of more than a file may have, first the addresses of the oldest members go, then the
/// oldest members themselves, those last who are trusted or blocked.
/// The first two lists stay whole, or nothing is written.
struct MemoryFile {
  private static let name = "mesh"
  private static let record = Record(kind: "mesh")
  private static let countBytes = 2
  private static let instanceBytes = 8
  /// Of an entry without addresses.
  private static let bareEntryBytes = NodeID.byteCount + instanceBytes + 1

  let disk: any Disk

  /// What was kept, nothing if there is no file.
  func read() throws(StoreError) -> MeshMemory {
    guard let file = try disk.read(Self.name) else { return MeshMemory() }
    let memory: MeshMemory?
    do throws(CryptoError) {
      memory = try Self.record.read(file) { content in
        var reader = RecordReader(content)
        return reader.memory()
      }
    } catch {
      throw .crypto(error)
    }
    guard let memory else {
      throw .corrupt(
        path: disk.path(of: Self.name), what: "the list of trusted and blocked nodes")
    }
    return memory
  }

  /// Keeps this in place of the former.
  func write(_ memory: MeshMemory) throws(StoreError) {
    let content = try Self.content(memory)
    let file: SecretBytes
    do throws(CryptoError) {
      file = try unsafe Self.record.file(content.span.bytes)
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(Self.name, with: bytes) }
  }

  private static func content(_ memory: MeshMemory) throws(StoreError) -> [UInt8] {
    var lists: [UInt8] = []
    for nodes in [memory.trusted, memory.blocked] {
      lists += RecordReader.octets(of: UInt64(nodes.count), count: countBytes)
      for node in nodes.sorted() { lists += node.octets }
    }
    let forgotten = forgotten(of: memory)
    let limitBytes = record.contentLimitBytes - lists.count - countBytes - forgotten.count
    guard limitBytes >= 0 else {
      throw .notKept(
        reason: "too many nodes are trusted or blocked; remove some with comlink forget")
    }
    let entries = entries(of: memory, withinBytes: limitBytes)
    return lists + RecordReader.octets(of: UInt64(entries.count), count: countBytes)
      + entries.joined() + forgotten
  }

  /// The fourth list; nothing where it would be empty, as before there was one.
  private static func forgotten(of memory: MeshMemory) -> [UInt8] {
    let latest = memory.forgotten.suffix(MeshLimits.forgotten)
    guard !latest.isEmpty else { return [] }
    return RecordReader.octets(of: UInt64(latest.count), count: countBytes)
      + latest.flatMap {
        $0.node.octets + RecordReader.octets(of: $0.instance, count: instanceBytes)
      }
  }

  /// As much of the members as there is room for, the latest last.
  private static func entries(of memory: MeshMemory, withinBytes limitBytes: Int) -> [[UInt8]] {
    let latest = memory.entries.suffix(MeshLimits.memoryEntries)
    let isListed = { (index: Int) in
      let node = latest[index].node
      return memory.trusted.contains(node) || memory.blocked.contains(node)
    }
    let byWorth =
      latest.indices.reversed().filter(isListed)
      + latest.indices.reversed().filter { !isListed($0) }
    let kept = Set(byWorth.prefix(limitBytes / bareEntryBytes))
    var spareBytes = limitBytes - kept.count * bareEntryBytes
    var entries: [[UInt8]] = []
    for index in latest.indices.reversed() where kept.contains(index) {
      let entry = latest[index]
      var addresses = Array(entry.addresses.compactMap(address).prefix(MeshLimits.addresses))
      spareBytes -= addresses.joined().count
      if spareBytes < 0 { addresses = [] }
      let head = entry.node.octets + RecordReader.octets(of: entry.instance, count: instanceBytes)
      entries.append(head + [UInt8(addresses.count)] + addresses.joined())
    }
    return entries.reversed()
  }

  private static func address(_ address: NodeAddress) -> [UInt8]? {
    guard !address.isLinkLocal else { return nil }
    let port = RecordReader.octets(of: UInt64(address.port), count: 2)
    switch address.host {
    case .observed: return nil
    case .ipv4(let bits): return [4] + RecordReader.octets(of: UInt64(bits), count: 4) + port
    case .ipv6(let high, let low):
      return [6] + RecordReader.octets(of: high, count: 8) + RecordReader.octets(of: low, count: 8)
        + port
    }
  }
}

/// Takes the content apart; nil for one that nobody wrote.
extension RecordReader {
  fileprivate mutating func memory() -> MeshMemory? {
    guard let trusted = nodes(), let blocked = nodes(), let count = number(2) else { return nil }
    var entries: [NodeRecord] = []
    for _ in 0..<count {
      guard let entry = entry() else { return nil }
      entries.append(entry)
    }
    guard let forgotten = isAtEnd ? [] : forgotten(), isAtEnd else { return nil }
    return MeshMemory(
      trusted: Set(trusted), blocked: Set(blocked), entries: entries, forgotten: forgotten)
  }

  private mutating func forgotten() -> [MeshMemory.Forgotten]? {
    guard let count = number(2), count <= MeshLimits.forgotten else { return nil }
    var forgotten: [MeshMemory.Forgotten] = []
    for _ in 0..<count {
      guard let node = node(), let instance = number(8) else { return nil }
      forgotten.append(MeshMemory.Forgotten(node: node, instance: instance))
    }
    return forgotten
  }

  private mutating func nodes() -> [NodeID]? {
    guard let count = number(2) else { return nil }
    var nodes: [NodeID] = []
    for _ in 0..<count {
      guard let node = node() else { return nil }
      nodes.append(node)
    }
    return nodes
  }

  private mutating func entry() -> NodeRecord? {
    guard let node = node(), let instance = number(8), let count = number(1) else { return nil }
    var addresses: [NodeAddress] = []
    for _ in 0..<count {
      guard let address = address() else { return nil }
      addresses.append(address)
    }
    return NodeRecord(node: node, instance: instance, addresses: addresses)
  }

  private mutating func address() -> NodeAddress? {
    let host: NodeAddress.Host
    switch number(1) {
    case 4:
      guard let bits = number(4) else { return nil }
      host = .ipv4(UInt32(truncatingIfNeeded: bits))
    case 6:
      guard let high = number(8), let low = number(8) else { return nil }
      host = .ipv6(high, low)
    default: return nil
    }
    return number(2).map { NodeAddress(host, port: UInt16(truncatingIfNeeded: $0)) }
  }
}
