internal import ArgumentParser
internal import Remote

/// `comlink record stop`: ends the recording.
struct RecordStopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Ends the recording; its files are complete then.")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    // As long as the daemon waits for a slow disk, and a little more.
    var client = try remote.connect(timeout: .seconds(15))
    _ = try RemoteOptions.answer(of: &client, to: .recordStop)
  }
}
