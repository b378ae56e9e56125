import CLink
import Glibc

/// The switch's end of a node's cable.
final class Port {
  /// Readable when a frame has come.
  let descriptor: Int32
  private var room = [UInt8](repeating: 0, count: Int(LINK_FRAME_BYTES))

  /// Opens the socket for a device of the calling thread's namespace, where it stays.
  ///
  /// - Throws: `LinkError.system`.
  init(_ device: String) throws(LinkError) {
    descriptor = try LinkError.check(
      unsafe link_packet_open(device), "open a packet socket on \(device)")
  }

  deinit { close(descriptor) }

  /// The next frame and when the kernel received it, CLOCK_REALTIME, 0 if it did not say.
  ///
  /// Frames too large for an Ethernet are skipped.
  func receive() -> (frame: [UInt8], realtimeNanoseconds: Int64)? {
    while true {
      var stamp: Int64 = 0
      let count = unsafe link_packet_receive(descriptor, &room, &stamp)
      if count >= 0 { return (Array(room[..<Int(count)]), stamp) }
      guard count == -EMSGSIZE else { return nil }
    }
  }

  /// Whether the kernel took the frame.
  func send(_ frame: [UInt8]) -> Bool {
    unsafe Glibc.send(descriptor, frame, frame.count, 0) == frame.count
  }

  /// Frames lost since the last call because we were too slow.
  func takeDrops() -> Int { max(0, Int(link_packet_take_drops(descriptor))) }
}
