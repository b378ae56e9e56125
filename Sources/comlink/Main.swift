internal import ArgumentParser
internal import Glibc
internal import Remote

/// `comlink`: the remote of a running `comlinkd`.
@main
enum Main {
  static func main() {
    do {
      let arguments = NegativeNumber.protected(Array(CommandLine.arguments.dropFirst()))
      var command = try Comlink.parseAsRoot(arguments)
      try command.run()
    } catch let error as RemoteFailure {
      complain("\(error)")
      exit(error.exitCode)
    } catch {
      Comlink.exit(withError: error)
    }
  }

  private static func complain(_ words: String) {
    let bytes = Array("comlink: \(words)\n".utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}

/// The command and its subcommands.
struct Comlink: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "comlink",
    abstract: "The remote of a running comlinkd.",
    discussion: """
      Exit codes: 0 done; 64 the command line is wrong; 65 comlinkd refused, the reason is printed; \
      69 no comlinkd answers; 75 it did not answer in time or went away; 76 its answer was not \
      understood; 77 no permission to use its socket.
      """,
    version: Version.current,
    subcommands: [
      StatusCommand.self, TalkCommand.self, GainCommand.self, MuteCommand.self, UnmuteCommand.self,
      PanCommand.self, IDCommand.self, GroupCommand.self, PeersCommand.self, AcceptCommand.self,
      DeclineCommand.self, InviteCommand.self, ForgetCommand.self, BlockCommand.self,
      PairCommand.self, RecordCommand.self, TestCommand.self, LoopBackCommand.self,
      LogCommand.self, DoctorCommand.self,
    ])
}

/// Signals that wait until they are asked for, so that none ends the process while the terminal is not its own.
struct HeldSignals: ~Copyable {
  private var held = sigset_t()

  /// Holds them from now on.
  init(_ signals: [Int32]) {
    unsafe sigemptyset(&held)
    for signal in signals { unsafe sigaddset(&held, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &held, nil)
  }

  /// Lets them through, also where whoever started us held them: they would come back for ever.
  deinit {
    var held = held
    unsafe pthread_sigmask(SIG_UNBLOCK, &held, nil)
  }

  /// The next one that came; nil: none did.
  mutating func next() -> Int32? {
    var now = timespec()
    let signal = unsafe sigtimedwait(&held, nil, &now)
    return signal > 0 ? signal : nil
  }
}
