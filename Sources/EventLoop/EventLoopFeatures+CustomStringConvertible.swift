extension EventLoopFeatures: CustomStringConvertible {
  /// One line for a start-up message.
  public var description: String {
    let mode =
      switch completionMode {
      case .deferred: "SINGLE_ISSUER, DEFER_TASKRUN"
      case .cooperative: "SINGLE_ISSUER, COOP_TASKRUN (DEFER_TASKRUN needs Linux 6.1)"
      case .plain: "no SINGLE_ISSUER (it needs Linux 6.0)"
      }
    return "io_uring on Linux \(kernelRelease): multishot recvmsg, provided buffers, \(mode)"
      + (hasRegisteredRing ? ", registered ring" : "")
  }
}
