internal import ArgumentParser
internal import Glibc
internal import Remote

/// `comlink record`: keeps what this node hears in files.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Records talkers and mix into files; start may be left out.",
    subcommands: [RecordStartCommand.self, RecordStopCommand.self],
    defaultSubcommand: RecordStartCommand.self)
}

/// `comlink record start DIR`, or `comlink record DIR`: begins to record.
struct RecordStartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Begins to record; the other nodes are told.",
    discussion: """
      comlinkd writes into a folder of its own in DIR, which has to be there and comlinkd has to be allowed to write to; \
      its name is printed. comlink record stop ends it, comlink status shows how it goes. Without --peers and --mix both \
      are recorded. All files begin at the same moment and go on together: who is away is silent, as all are while JACK does \
      not run. This node's own file has its microphone, after the talk key; it is silent while a test, or a peer's \
      voice, is sent in its place. The mix is as it is heard. Sizes are bytes, or end in k, M, G or T, powers of 1000.
      """)

  @Argument(help: ArgumentHelp("An existing folder.", valueName: "DIR")) var directory: String
  @Flag(help: "A file for each talker, the microphone of this node among them.") var peers = false
  @Flag(help: "A file of the mix as it is heard, stereo.") var mix = false
  @Option(help: ArgumentHelp("opus or wav (24 bits); opus by default.", valueName: "FORMAT"))
  var format: String?
  @Option(
    help: ArgumentHelp("Ends before all files have more together; 10G.", valueName: "SIZE"))
  var maxSize: ByteSize?
  @Option(help: ArgumentHelp("Ends before the disk has less left; 1G.", valueName: "SIZE"))
  var keepFree: ByteSize?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var request = RecordingRequest(directory: try Self.absolute(directory))
    if peers || mix { (request.peers, request.mix) = (peers, mix) }
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
      throw ValidationError("the working directory is gone; give DIR from / on")
    }
    defer { unsafe free(here) }
    return unsafe "\(String(cString: here))/\(directory)"
  }
}

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
