internal import NodeDaemon

/// `comlinkd`: all that it does is in ``NodeDaemon``, so that tests can import it.
@main
enum Main {
  static func main() { DaemonProgram.run() }
}
