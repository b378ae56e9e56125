extension NodeID: Comparable {
  /// The order of the IDs as big-endian numbers: of two nodes the higher dials.
  public static func < (left: NodeID, right: NodeID) -> Bool {
    (left.first, left.second, left.third, left.fourth)
      < (right.first, right.second, right.third, right.fourth)
  }
}

extension NodeID: CustomStringConvertible {
  /// The same as `text`: an ID is public.
  public var description: String { text }
}
