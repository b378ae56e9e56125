extension MeshError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .oversized(let byteCount, let maximum):
      "a message announced as \(byteCount) bytes is refused: at most \(maximum) are taken"
    case .truncated:
      "a message ends before its fields do"
    case .malformed(let type, let tag):
      "field \(tag) of a message of type \(type) is missing or wrong"
    case .version(let major, let minor):
      "the other node speaks version \(major).\(minor) of the control protocol and this one "
        + "\(MessageVersion.current): update the older of the two"
    case .slow(let seconds):
      "a message was not finished within \(seconds) s of its first byte"
    }
  }
}
