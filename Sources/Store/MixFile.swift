internal import Cryptography
internal import Habits

/// The file of what the user set of the sound: whether the microphone is open in an octet, the number of nodes in two,
/// and of each its ID, gain and pan (the bits of an IEEE 754 double, 8 octets each) and an octet: 1 if it is muted, and
/// 2 more if its azimuth and elevation follow, as those; then inputs and buses (`PatchRecords`), or nothing.
struct MixFile {
  private static let name = "mix"
  private static let record = Record(kind: "mix")

  let disk: any Disk

  /// The saved mix, empty if there is no file.
  func read() throws(StoreError) -> Mix {
    guard let file = try disk.read(Self.name) else { return Mix() }
    let mix: Mix?
    do throws(CryptoError) {
      mix = try Self.record.read(file) { content in
        var reader = RecordReader(content)
        return reader.mix()
      }
    } catch {
      throw .crypto(error)
    }
    guard let mix else {
      throw .corrupt(
        path: disk.path(of: Self.name),
        what: "gain, pan and mute of the peers, inputs, buses and the talk key")
    }
    return mix
  }

  /// Saves this in place of the former.
  func write(_ mix: Mix) throws(StoreError) {
    let file: SecretBytes
    do throws(CryptoError) {
      file = try unsafe Self.record.file(Self.content(mix).span.bytes)
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(Self.name, with: bytes) }
  }

  private static func content(_ mix: Mix) -> [UInt8] {
    let peers = mix.peers.sorted { $0.key < $1.key }.prefix(Mix.mostPeers)
    var content: [UInt8] = [mix.isTalking ? 1 : 0]
    content += RecordReader.octets(of: UInt64(peers.count), count: 2)
    for (node, peer) in peers {
      content += node.octets
      for value in [peer.gainDecibels, peer.pan] {
        content += RecordReader.octets(of: value.bitPattern, count: 8)
      }
      content.append((peer.isMuted ? 1 : 0) | (peer.place == nil ? 0 : 2))
      guard let place = peer.place else { continue }
      for value in [place.azimuthDegrees, place.elevationDegrees] {
        content += RecordReader.octets(of: value.bitPattern, count: 8)
      }
    }
    return content + PatchRecords.octets(of: mix)
  }
}

/// Parses the content; nil if it is invalid.
extension RecordReader {
  fileprivate mutating func mix() -> Mix? {
    guard let isTalking = flag(), let count = number(2), count <= Mix.mostPeers else {
      return nil
    }
    var mix = Mix(isTalking: isTalking)
    for _ in 0..<count {
      guard let node = node(), let gain = value(), let pan = value(), let bits = number(1),
        bits <= 3
      else { return nil }
      var settings = PeerSettings(gainDecibels: gain, pan: pan, isMuted: bits & 1 != 0)
      if bits & 2 != 0 {
        guard let azimuth = value(), let elevation = value() else { return nil }
        settings.place = HeadPlace(azimuthDegrees: azimuth, elevationDegrees: elevation)
      }
      mix.peers[node] = settings
    }
    guard !isAtEnd else { return mix }
    guard patches(of: &mix), isAtEnd else { return nil }
    return mix
  }

  /// True or false in an octet; nil: it is neither.
  mutating func flag() -> Bool? {
    number(1).flatMap { $0 > 1 ? nil : $0 == 1 }
  }

  private mutating func value() -> Double? {
    number(8).map { Double(bitPattern: $0) }.flatMap { $0.isFinite ? $0 : nil }
  }
}
