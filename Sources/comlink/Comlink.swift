internal import ArgumentParser
internal import Remote

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
