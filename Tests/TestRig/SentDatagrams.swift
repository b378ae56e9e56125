internal import CProbe

/// What one UDP port of 127.0.0.1 sends, as the kernel sees it; takes the right to capture packets, which root has.
@safe public final class SentDatagrams: Sendable {
  /// One of them.
  public struct Datagram: Sendable {
    /// When it was sent, nanoseconds of JACK's clock.
    public var nanoseconds: Int64
    /// The port that it went to.
    public var port: Int
    /// Whether it is RTP with a marker: the first of a talk spurt (RFC 3551 §4.1), no report (RFC 5761 §4).
    public var isMarked: Bool
  }

  private static let capacity = 1 << 17
  private nonisolated(unsafe) let handle: OpaquePointer

  /// Begins.
  ///
  /// - Throws: `RigError.missing` without that right.
  public init(from port: Int) throws(RigError) {
    var error: Int32 = 0
    let created = unsafe rig_datagrams_create(UInt16(port), Self.capacity, &error)
    guard let created = unsafe created else {
      throw .missing(what: "the right to capture packets", hint: systemMessage(-error))
    }
    unsafe handle = created
  }

  deinit { unsafe rig_datagrams_destroy(handle) }

  /// All so far, in order.
  public var all: [Datagram] {
    var log: UnsafePointer<rig_datagram>?
    let count = unsafe rig_datagrams_log(handle, &log)
    guard let log = unsafe log else { return [] }
    return (0..<count).map { index in
      let datagram = unsafe log[index]
      let octet = datagram.second_octet
      return Datagram(
        nanoseconds: datagram.nanoseconds, port: Int(datagram.to),
        isMarked: octet & 0x80 != 0 && !(64...95).contains(octet & 0x7F))
    }
  }
}
