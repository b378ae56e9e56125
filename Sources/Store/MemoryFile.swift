internal import Cryptography
internal import Mesh

/// The file of what the mesh remembers: nodes let in, nodes kept out, nodes that were members.
///
/// Three lists, each after its length in two octets. Of the first two an entry is an ID; of the third an ID, the
/// instance in 8 octets, and, after their number in an octet, addresses: a family (4 or 6), the address, the port in 2
/// octets. Addresses that hold on one link only are not kept.
struct MemoryFile {
  private static let name = "mesh"
  private static let record = Record(kind: "mesh")

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
        path: disk.path(of: Self.name), what: "which nodes are trusted and which are blocked")
    }
    return memory
  }

  /// Keeps this in place of the former.
  func write(_ memory: MeshMemory) throws(StoreError) {
    let file: SecretBytes
    do throws(CryptoError) {
      file = try unsafe Self.record.file(Self.content(memory).span.bytes)
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(Self.name, with: bytes) }
  }

  private static func content(_ memory: MeshMemory) -> [UInt8] {
    var content: [UInt8] = []
    for nodes in [memory.trusted, memory.blocked] {
      let nodes = nodes.sorted().prefix(Int(UInt16.max))
      content += RecordReader.octets(of: UInt64(nodes.count), count: 2)
      for node in nodes { content += node.octets }
    }
    let entries = memory.entries.suffix(MeshLimits.memoryEntries)
    content += RecordReader.octets(of: UInt64(entries.count), count: 2)
    for entry in entries {
      let addresses = entry.addresses.compactMap(address).prefix(MeshLimits.addresses)
      content += entry.node.octets + RecordReader.octets(of: entry.instance, count: 8)
      content += [UInt8(addresses.count)] + addresses.joined()
    }
    return content
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
    var entries: [MeshMemory.Entry] = []
    for _ in 0..<count {
      guard let entry = entry() else { return nil }
      entries.append(entry)
    }
    guard isAtEnd else { return nil }
    return MeshMemory(trusted: Set(trusted), blocked: Set(blocked), entries: entries)
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

  private mutating func entry() -> MeshMemory.Entry? {
    guard let node = node(), let instance = number(8), let count = number(1) else { return nil }
    var addresses: [NodeAddress] = []
    for _ in 0..<count {
      guard let address = address() else { return nil }
      addresses.append(address)
    }
    return MeshMemory.Entry(node: node, instance: instance, addresses: addresses)
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
