internal import COgg

/// Packets into Ogg pages (RFC 3533), by libogg; one logical stream.
@safe final class OggStream {
  private let handle: OpaquePointer
  private var page = [UInt8](repeating: 0, count: Int(COGG_MAX_PAGE_BYTES))

  /// A stream of that serial number; nil: no memory.
  init?(serial: UInt32) {
    guard let handle = unsafe cogg_stream_create(Int32(bitPattern: serial)) else { return nil }
    unsafe self.handle = unsafe handle
  }

  deinit {
    unsafe cogg_stream_destroy(handle)
  }

  /// Takes a packet; false: no memory.
  ///
  /// - Parameter granule: the position at the packet's end.
  func add(_ packet: Span<UInt8>, granule: Int64, isLast: Bool) -> Bool {
    unsafe packet.withUnsafeBufferPointer { packet in
      unsafe cogg_packet_in(
        handle, packet.baseAddress, Int32(clamping: packet.count), granule, isLast) == 0
    }
  }

  /// The next page; nil: there is none, or, unless `isFlushing`, none that is full.
  func nextPage(isFlushing: Bool) -> [UInt8]? {
    let byteCount = unsafe page.withUnsafeMutableBufferPointer { page in
      unsafe cogg_page_out(handle, isFlushing, page.baseAddress)
    }
    return byteCount > 0 ? Array(page.prefix(Int(byteCount))) : nil
  }
}
