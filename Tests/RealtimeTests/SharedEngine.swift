import CRealtime
import Glibc
import Testing

/// An engine that the plugin in jackd plays, with an eventfd to be woken by.
@safe final class SharedEngine: @unchecked Sendable {
  let handle: OpaquePointer
  /// Another engine's notice descriptor is an eventfd; Glibc's module does not show how to make one.
  private let bell: TestEngine

  init() throws {
    bell = try TestEngine()
    unsafe handle = try #require(unsafe rt_engine_create_shared(rt_notice_fd(bell.handle)))
  }

  deinit {
    unsafe rt_engine_destroy(handle)
  }

  /// 0 or -errno.
  func open(_ path: String, client: String = "comlink") -> Int32 {
    unsafe rt_engine_open_plugin(handle, path, client)
  }

  var counters: rt_counters {
    var counters = rt_counters()
    unsafe rt_engine_counters(handle, &counters)
    return counters
  }

  var cycle: rt_cycle? {
    var cycle = rt_cycle()
    return unsafe rt_engine_cycle(handle, &cycle) ? cycle : nil
  }

  /// Whether the notice descriptor is readable.
  var hasNotice: Bool {
    var notice = unsafe pollfd(fd: rt_notice_fd(handle), events: Int16(POLLIN), revents: 0)
    return unsafe poll(&notice, 1, 0) == 1
  }

  var connections: String {
    unsafe text { unsafe rt_connections(handle, $0, $1) }
  }

  func physicalPorts(capture: Bool) -> String {
    unsafe text { unsafe rt_physical_ports(handle, capture, $0, $1) }
  }

  /// The number of frames that fitted.
  @discardableResult func write(_ frames: [Float], to slot: rt_slot) -> Int {
    unsafe Int(rt_peer_write(handle, slot, frames, UInt32(frames.count)))
  }

  var captureChannels: Int { unsafe Int(rt_capture_channels(handle)) }

  /// What the microphone heard in up to `count` frames of the capture ring.
  func capture(_ count: Int) -> [Float] {
    let channels = unsafe Int(rt_capture_channels(handle))
    let samples = unsafe [Float](unsafeUninitializedCapacity: count * channels) { samples, taken in
      guard let start = samples.baseAddress else { return }
      taken = unsafe Int(rt_capture_read(handle, start, UInt32(count))) * channels
    }
    return stride(from: 0, to: samples.count, by: channels).map { samples[$0] }
  }

  /// Up to `count` frames of a mono bus' ring.
  func take(_ count: Int, of bus: rt_bus) -> [Float] {
    unsafe [Float](unsafeUninitializedCapacity: count) { frames, taken in
      guard let start = frames.baseAddress else { return }
      taken = unsafe Int(rt_bus_read(handle, bus, start, UInt32(count)))
    }
  }

  private func text(_ fill: (UnsafeMutablePointer<CChar>, UInt32) -> Int32) -> String {
    let bytes = unsafe [CChar](unsafeUninitializedCapacity: 65_536) { bytes, count in
      guard let start = bytes.baseAddress else { return }
      count = max(0, Int(unsafe fill(start, UInt32(bytes.count))))
    }
    return String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
