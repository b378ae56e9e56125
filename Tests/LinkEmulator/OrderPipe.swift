import Glibc

/// A named pipe through which other programs split the switch while it runs; removed at the end.
final class OrderPipe {
  /// Readable when orders have come.
  let descriptor: Int32
  private let path: String
  private let nodes: [String]
  /// A line that is not finished yet.
  private var rest: [UInt8] = []

  /// Makes the pipe.
  ///
  /// - Parameter nodes: the names that orders may use.
  /// - Throws: `LinkError.system`, also where there is something at that path already.
  init(path: String, nodes: [String]) throws(LinkError) {
    guard unsafe mkfifo(path, 0o600) == 0 else {
      throw .system(attempt: "make the pipe \(path)", errorNumber: errno)
    }
    // For writing too: without a writer the pipe would be at its end, and always readable.
    descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      unsafe unlink(path)
      throw .system(attempt: "open the pipe \(path)", errorNumber: code)
    }
    self.path = path
    self.nodes = nodes
  }

  deinit {
    close(descriptor)
    unsafe unlink(path)
  }

  /// The orders that came; lines that make no sense are told on standard error.
  func take() -> [SwitchOrder] {
    var room = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(descriptor, &room, room.count)
    guard count > 0 else { return [] }
    rest += room[..<count]
    var orders: [SwitchOrder] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest.removeSubrange(...end)
      if let order = SwitchOrder(line, nodes: nodes) {
        orders.append(order)
      } else {
        LinkProgram.complain("no order: \(line)")
      }
    }
    if rest.count >= room.count { rest = [] }
    return orders
  }
}
