import CLink
import Glibc

@testable import TestRig

/// Network namespaces as the tests use them.
enum Namespace {
  /// Whether this process may make some, found by trying.
  static let isPermitted: Bool = {
    guard geteuid() == 0, ChildProcess.path(of: "ip") != nil, let home = try? Home() else {
      return false
    }
    return home.descriptor >= 0 && link_namespace_leave() == 0
  }()

  static let reason = "needs root, network namespaces and iproute2"

  /// The calling thread's own namespace, to which it comes back when this ends.
  private struct Home: ~Copyable {
    let descriptor: Int32

    init() throws(RigError) {
      descriptor = unsafe open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw .file(path: "/proc/thread-self/ns/net", reason: systemMessage(errno))
      }
    }

    deinit {
      precondition(link_namespace_enter(descriptor) == 0, "no way back to our own namespace")
      close(descriptor)
    }
  }

  /// Whether there is one of that name.
  static func exists(_ name: String) -> Bool {
    unsafe access("/run/netns/\(name)", F_OK) == 0
  }

  /// Does something in a namespace; sockets made there stay there.
  ///
  /// - Throws: what `body` does, or `RigError.file`.
  static func within<Result>(
    _ name: String, _ body: () throws(RigError) -> Result
  ) throws(RigError) -> Result {
    let home = try Home()
    let descriptor = unsafe open("/run/netns/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, link_namespace_enter(descriptor) == 0 else {
      throw .file(path: "/run/netns/\(name)", reason: systemMessage(errno))
    }
    close(descriptor)
    let result = try body()
    _ = consume home
    return result
  }
}

extension LinkProcess {
  /// Whether anything is left of its nodes.
  var leavesSomething: Bool {
    nodes.indices.contains { Namespace.exists(namespace($0)) }
      || nodes.contains { unsafe access("/run/comlink-link/\($0)", F_OK) == 0 }
  }
}
