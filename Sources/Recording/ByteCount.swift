/// Numbers of bytes as people read them.
enum ByteCount {
  /// `1.5 GB`, in powers of 1000.
  static func words(_ bytes: Int) -> String {
    for (unit, size) in [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)]
    where bytes >= size {
      let tenths = bytes / (size / 10)
      return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
    return "\(bytes) bytes"
  }
}
