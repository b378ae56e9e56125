import NodeDaemon

/// `comlinkd-clear`: the daemon for tests with programs that cannot decrypt.
///
/// Arguments, control socket and log are comlinkd's. Media are in clear, peers those that are named, and loopback addresses
/// the only ones it takes. It is in no package.
@main
enum ClearProgram {
  static func main() { DaemonProgram.run(rehearsal: ClearMedia()) }
}
