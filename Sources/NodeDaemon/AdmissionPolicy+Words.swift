internal import Mesh

extension AdmissionPolicy {
  /// The policies as a user writes them.
  static let words = allCases.map(\.rawValue).joined(separator: "|")
}
