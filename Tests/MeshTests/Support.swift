import Cryptography
import Mesh
import TestKit

/// Octets written as hexadecimal digits; everything else in the text is for the reader.
func octets(_ hexadecimal: String) -> [UInt8] {
  let digits = hexadecimal.compactMap { $0.hexDigitValue.map(UInt8.init) }
  precondition(digits.count % 2 == 0)
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A node's ID of its 32 octets.
func nodeID(_ octets: [UInt8]) -> NodeID {
  guard let node = NodeID(octets: octets) else { preconditionFailure("no ID: \(octets)") }
  return node
}

extension MeshNetwork {
  /// Runs until a node's members are as many as said; how long it took, or nil.
  func waitFor(_ index: Int, members count: Int, withinSeconds limit: Double) -> Double? {
    run(until: { nodes[index].members.count == count }, withinNanoseconds: .seconds(limit)).map {
      Double($0) / 1e9
    }
  }
}
