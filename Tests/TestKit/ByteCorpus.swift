public import Foundation

/// Octets that parsers are tried with: committed ones, and what becomes of them by chance.
public struct ByteCorpus: Sendable {
  /// One array a file, in order of the files' names.
  public let seeds: [[UInt8]]

  /// Reads all files of a folder: hexadecimal, spaces where one likes, `#` starts a comment.
  public init(folder: URL) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    seeds = try names.map { name in
      let file = folder.appendingPathComponent(name)
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      let digits = Array(lines.filter { !$0.hasPrefix("#") }.joined().filter(\.isHexDigit))
      precondition(digits.count.isMultiple(of: 2), "half an octet in \(name)")
      return stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
      }
    }
  }

  /// One of them with a few octets changed, cut, grown or spliced with another; every tenth is random.
  public func mutation(_ random: inout SplitMix64) -> [UInt8] {
    guard Int.random(in: 0..<10, using: &random) > 0 else {
      return Self.noise(Int.random(in: 0...1500, using: &random), &random)
    }
    var octets = seeds.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = octets.isEmpty ? 0 : Int.random(in: 0..<octets.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where !octets.isEmpty: octets[index] = .random(in: 0...255, using: &random)
      case 1 where !octets.isEmpty: octets[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2 where !octets.isEmpty:
        octets[index] = [0, 1, 127, 128, 255].randomElement(using: &random) ?? 0
      case 3: octets.removeSubrange(index...)
      case 4:
        let added = Int.random(in: 1...8, using: &random)
        octets.insert(contentsOf: Self.noise(added, &random), at: index)
      default:
        octets.replaceSubrange(index..., with: seeds.randomElement(using: &random) ?? [])
      }
    }
    return octets
  }

  private static func noise(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    (0..<count).map { _ in .random(in: 0...255, using: &random) }
  }
}
