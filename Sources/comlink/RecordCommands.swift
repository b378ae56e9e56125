internal import ArgumentParser
internal import Glibc
internal import Remote

/// `comlink record`: keeps what this node hears in files.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Records talkers and the mix to files; start is the default.",
    subcommands: [RecordStartCommand.self, RecordStopCommand.self],
    defaultSubcommand: RecordStartCommand.self)
}

/// `comlink record start DIR`, or `comlink record DIR`: begins to record.
struct RecordStartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Starts a recording; the other nodes are notified.",
    discussion: """
      comlinkd creates a folder in DIR and prints its name; DIR must exist and comlinkd must be able to write to it. \
      comlink record stop ends the recording, comlink status shows its state. Without --peers, --mix and --bus it records talkers \
      and mix. \
      All files start at the same frame and stay aligned: an absent talker is silence, and so are all while JACK does \
      not run. This node's own file is its microphone after the talk key, and silence while it sends a test or loops \
      a peer back. The mix is as you hear it. Sizes are in bytes, or end in k, M, G or T, powers of 1000.
      """)

  @Argument(help: ArgumentHelp("An existing folder.", valueName: "DIR")) var directory: String
  @Flag(help: "Records a file for each talker, this node's microphone included.") var peers = false
  @Flag(help: "Records the mix as you hear it, stereo.") var mix = false
  @Option(
    name: .customLong("bus"),
    help: ArgumentHelp(
      "Records this bus with a port of its own, mono; repeatable.", valueName: "NAME"))
  var buses: [String] = []
  @Option(help: ArgumentHelp("opus or wav (24 bit); default opus.", valueName: "FORMAT"))
  var format: String?
  @Option(
    help: ArgumentHelp(
      "Stops before all files together exceed this; default 10G.", valueName: "SIZE"))
  var maxSize: ByteSize?
  @Option(
    help: ArgumentHelp(
      "Stops before less than this is free on the disk; default 1G.", valueName: "SIZE"))
  var keepFree: ByteSize?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var request = RecordingRequest(directory: try Self.absolute(directory))
    if peers || mix || !buses.isEmpty { (request.peers, request.mix) = (peers, mix) }
    if !buses.isEmpty { request.buses = buses }
    request.format = format
    request.maxSizeBytes = maxSize?.bytes
    request.keepFreeBytes = keepFree?.bytes
    // A disk may have to wake up first.
    var client = try remote.connect(timeout: .seconds(15))
    let answer = try RemoteOptions.answer(of: &client, to: .recordStart(request))
    guard case .recording(let path) = answer else { throw RemoteFailure.unexpectedAnswer }
    print(PlainText.cleaned(path))
  }

  /// The folder as the daemon, which runs elsewhere, finds it.
  private static func absolute(_ directory: String) throws -> String {
    guard !directory.hasPrefix("/") else { return directory }
    guard let here = unsafe getcwd(nil, 0) else {
      throw ValidationError("the working directory no longer exists; give an absolute DIR")
    }
    defer { unsafe free(here) }
    return unsafe "\(String(cString: here))/\(directory)"
  }
}

/// `comlink record stop`: ends the recording.
struct RecordStopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Stops the recording and completes its files.")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    // As long as the daemon waits for a slow disk, and a little more.
    var client = try remote.connect(timeout: .seconds(15))
    _ = try RemoteOptions.answer(of: &client, to: .recordStop)
  }
}

/// A number of bytes as people write it: `500M`, `1.5G`.
struct ByteSize: ExpressibleByArgument, Equatable {
  private static let units: [Character: Double] = ["k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12]
  /// More than any disk has.
  private static let most = 1e18

  let bytes: Int

  init?(argument: String) {
    var number = argument[...]
    var unit = 1.0
    if let last = number.last, let known = Self.units[last == "K" ? "k" : last] {
      unit = known
      number = number.dropLast()
    }
    guard let value = Double(number), value >= 0, value * unit <= Self.most else { return nil }
    bytes = Int(value * unit)
  }
}
