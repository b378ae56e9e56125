internal import Cryptography
internal import Habits

/// The file of which JACK ports were connected: an octet of two flags (1: the user took the microphone from the card,
/// 2: the mix), the number of connections in two octets, and of each whether the node chose it in an octet,
/// and both names, each after its length in two.
struct PortsFile {
  private static let name = "ports"
  private static let record = Record(kind: "ports")
  private static let headBytes = 3

  let disk: any Disk

  /// The saved connections, none if there is no file.
  func read() throws(StoreError) -> PortMemory {
    guard let file = try disk.read(Self.name) else { return PortMemory() }
    let ports: PortMemory?
    do throws(CryptoError) {
      ports = try Self.record.read(file) { content in
        var reader = RecordReader(content)
        return reader.ports()
      }
    } catch {
      throw .crypto(error)
    }
    guard let ports else {
      throw .corrupt(path: disk.path(of: Self.name), what: "the saved JACK connections")
    }
    return ports
  }

  /// Saves this in place of the former; the latest ones where not all fit.
  func write(_ ports: PortMemory) throws(StoreError) {
    let file: SecretBytes
    do throws(CryptoError) {
      file = try unsafe Self.record.file(Self.content(ports).span.bytes)
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(Self.name, with: bytes) }
  }

  private static func content(_ ports: PortMemory) -> [UInt8] {
    var entries: [[UInt8]] = []
    var spareBytes = record.contentLimitBytes - headBytes
    for connection in ports.entries.suffix(PortMemory.mostEntries).reversed() {
      let names = [Array(connection.source.utf8), Array(connection.destination.utf8)]
      guard names.allSatisfy({ $0.count <= PortMemory.longestNameBytes }) else { continue }
      var entry: [UInt8] = [connection.isAutomatic ? 1 : 0]
      for name in names { entry += RecordReader.octets(of: UInt64(name.count), count: 2) + name }
      spareBytes -= entry.count
      guard spareBytes >= 0 else { break }
      entries.append(entry)
    }
    let flags: UInt8 = (ports.isCaptureCut ? 1 : 0) | (ports.isPlaybackCut ? 2 : 0)
    return [flags] + RecordReader.octets(of: UInt64(entries.count), count: 2)
      + entries.reversed().joined()
  }
}

/// Parses the content; nil if it is invalid.
extension RecordReader {
  fileprivate mutating func ports() -> PortMemory? {
    guard let flags = number(1), flags <= 3, let count = number(2),
      count <= PortMemory.mostEntries
    else { return nil }
    var ports = PortMemory(isCaptureCut: flags & 1 != 0, isPlaybackCut: flags & 2 != 0)
    for _ in 0..<count {
      guard let isAutomatic = number(1), isAutomatic <= 1, let source = portName(),
        let destination = portName()
      else { return nil }
      ports.entries.append(
        PortMemory.Entry(
          source: source, destination: destination, isAutomatic: isAutomatic == 1))
    }
    return isAtEnd ? ports : nil
  }

  private mutating func portName() -> String? {
    guard let count = number(2), count <= PortMemory.longestNameBytes else { return nil }
    return text(Int(count))
  }
}
