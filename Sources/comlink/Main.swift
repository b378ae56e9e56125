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
    abstract: "Controls a running comlinkd.",
    discussion: """
      Exit codes: 0 success; 64 wrong command line; 65 comlinkd refused and printed the reason; \
      69 no comlinkd answers; 75 comlinkd timed out or disconnected; 76 unknown response; \
      77 no permission to use its socket.
      """,
    version: Version.current,
    subcommands: [
      StatusCommand.self, TalkCommand.self, LineCommand.self, KeyCommand.self, EarCommand.self,
      CallCommand.self, ReplyCommand.self, ClearCommand.self, AgainCommand.self,
      OperatorCommand.self, MicKillCommand.self,
      SidetoneCommand.self, VoiceCommand.self, LevelCommand.self, GainCommand.self,
      MuteCommand.self, UnmuteCommand.self, PanCommand.self, PlaceCommand.self, InputCommand.self,
      BusCommand.self,
      IDCommand.self, GroupCommand.self,
      PeersCommand.self, AcceptCommand.self,
      DeclineCommand.self, InviteCommand.self, ForgetCommand.self, BlockCommand.self,
      PairCommand.self, PageCommand.self, RecordCommand.self, TestCommand.self,
      LoopBackCommand.self, SayCommand.self, MessagesCommand.self,
      VoiceMessageCommand.self, CaptionsCommand.self, SessionCommand.self, AssistantCommand.self,
      LogCommand.self,
      KeysCommand.self, DoctorCommand.self, ChooseCommand.self, RestartCommand.self,
    ])
}

/// The signals that end a command without an end of its own.
enum EndingSignals {
  private static let signals = [SIGINT, SIGTERM]

  /// Lets them end this process, though whoever started it held them, as threads of a pool do, or had it ignore them,
  /// as shells do for programs in the background.
  static func restore() {
    var held = sigset_t()
    unsafe sigemptyset(&held)
    for number in signals {
      signal(number, SIG_DFL)
      unsafe sigaddset(&held, number)
    }
    unsafe pthread_sigmask(SIG_UNBLOCK, &held, nil)
  }
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
