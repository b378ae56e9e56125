import ArgumentParser
import TestRig

/// The program behind `./dev demo` and `./dev bench`.
@main
struct ComlinkBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "comlink-bench",
    abstract: "Measures comlinkd on real JACK servers with real speech.",
    discussion: """
      Every figure is one line: name, value, unit. Port to port is from the moment a sample \
      stands at one node's microphone port to the moment it stands at the other's ear port; mouth \
      to ear adds the two periods that sound cards put around it.
      """,
    subcommands: [
      DemoCommand.self, LatencyCommand.self, CallbackCommand.self, CPUCommand.self,
      ScaleCommand.self, LinesCommand.self, ViewersCommand.self, GuestsCommand.self,
      MessagesCommand.self, IdleCommand.self, BatteryCommand.self, DriftCommand.self,
      ClicksCommand.self, QualityCommand.self, SoakCommand.self, MeshCommand.self,
      PluginCommand.self, PhoneCommand.self, CaptionsCommand.self, HeardCommand.self,
      AssistantCommand.self, AllCommand.self,
    ])
}
