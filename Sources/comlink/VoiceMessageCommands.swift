internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Remote
internal import StatusSchema
internal import System

/// `comlink voice-message`: what is said now and heard later.
struct VoiceMessageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "voice-message",
    abstract: "Records, sends and plays voice messages; list is the default.",
    discussion: """
      record takes the microphone, whether the talk key is open or not; pause and resume, then send or cancel. A message \
      has at most 10 minutes and 10 MiB. It gets to who is away as a text does: see comlink say.
      """,
    subcommands: [
      VoiceRecordCommand.self, VoicePauseCommand.self, VoiceResumeCommand.self,
      VoiceCancelCommand.self, VoiceSendCommand.self, VoiceListCommand.self,
      VoicePlayCommand.self, VoiceSeekCommand.self, VoiceSpeedCommand.self,
      VoiceStopCommand.self, VoiceSaveCommand.self,
    ], defaultSubcommand: VoiceListCommand.self)
}

/// `comlink voice-message record`.
struct VoiceRecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Starts to record a voice message.")
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.voiceMessage(.record)) }
}

/// `comlink voice-message pause`.
struct VoicePauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Pauses the recording, or else what plays.")
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.voiceMessage(.pause)) }
}

/// `comlink voice-message resume`.
struct VoiceResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Goes on with what is paused.")
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.voiceMessage(.resume)) }
}

/// `comlink voice-message cancel`.
struct VoiceCancelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Deletes what was recorded.")
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.voiceMessage(.cancel)) }
}

/// `comlink voice-message send [FILE] --to WHOM`.
struct VoiceSendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "Sends what was recorded, or an audio file.",
    discussion: """
      WAV, MP3, Ogg (Vorbis, Opus) and FLAC; M4A where ffmpeg is installed. The file's content tells what it is, not its \
      name.
      """)

  @Argument(
    help: ArgumentHelp(
      "An audio file, at most 10 MiB and 10 minutes; without it what was recorded is sent.",
      valueName: "FILE"))
  var file: String?
  @Option(
    help: ArgumentHelp(
      "A member's name, words or fingerprint; a line, or line:NAME; group, or group:NAME.",
      valueName: "MEMBER|LINE|group"))
  var to: String
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    // Decoding takes up to 30 s.
    var client = try remote.connect(timeout: .seconds(45))
    var name: String?
    if let file { name = try upload(try Self.octets(of: file), &client) }
    let answer = try RemoteOptions.answer(
      of: &client, to: .voiceMessage(.send(to: to, upload: name)))
    guard case .messages = answer else { throw RemoteFailure.unexpectedAnswer }
  }

  private static func octets(of path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ValidationError("cannot open \(path): \(errorWords(errno))")
    }
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    while octets.count <= VoiceMessageRequest.fileBytes {
      let count = unsafe read(descriptor, &room, room.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw ValidationError("cannot read \(path): \(errorWords(errno))")
      }
      guard count > 0 else { return octets }
      octets += room[..<count]
    }
    throw ValidationError(
      "\(path) has more than 10 MiB, the most that a voice message has; send it in parts")
  }

  private func upload(_ octets: [UInt8], _ client: inout ControlClient) throws -> String {
    guard !octets.isEmpty else { throw ValidationError("the file is empty; name another") }
    let name = String(UInt64.random(in: 0 ... .max), radix: 36)
    for offset in stride(from: 0, to: octets.count, by: VoiceMessageRequest.pieceBytes) {
      let end = min(offset + VoiceMessageRequest.pieceBytes, octets.count)
      _ = try RemoteOptions.answer(
        of: &client,
        to: .voiceMessage(
          .upload(name: name, offset: offset, octets: Data(octets[offset..<end]))))
    }
    return name
  }
}

/// `comlink voice-message list`, or `comlink voice-message`.
struct VoiceListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Shows voice messages, and what is recorded or plays.")

  @OptionGroup var conversation: ConversationOptions
  @Option(name: .customShort("n"), help: ArgumentHelp("How many, 1…200.", valueName: "COUNT"))
  var limit = 50
  @Flag(help: "Prints JSON, one message a line.") var json = false
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard MessageRequest.limitRange.contains(limit) else {
      throw ValidationError("-n must be from 1 to \(MessageRequest.limitRange.upperBound)")
    }
  }

  func run() throws {
    var request = MessageRequest()
    (request.with, request.limit, request.voice) = (conversation.with, limit, true)
    var client = try remote.connect(timeout: .seconds(15))
    guard
      case .messages(let messages) = try RemoteOptions.answer(of: &client, to: .messages(request))
    else { throw RemoteFailure.unexpectedAnswer }
    try messages.print(asJSON: json)
    guard !json else { return }
    if messages.isEmpty { PlainText.note("no voice messages") }
    let answer = try RemoteOptions.answer(of: &client, to: .status)
    guard case .status(let status) = answer else { throw RemoteFailure.unexpectedAnswer }
    for line in MessageTable.voice(status.messages) { print(line) }
  }
}

/// `comlink voice-message play NUMBER`.
struct VoicePlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Plays a voice message at this node's ear.",
    discussion: "It counts as read then, and so does what its sender sent before.")

  @Argument(help: ArgumentHelp("Its number in comlink messages.", valueName: "NUMBER"))
  var number: Int64
  @Option(help: ArgumentHelp("Where it begins: seconds, or M:SS.", valueName: "TIME"))
  var from: ClipTime?
  @Option(help: ArgumentHelp("How fast, 0.75…2; the pitch stays.", valueName: "FACTOR"))
  var speed: Double?
  @OptionGroup var remote: RemoteOptions

  func validate() throws { if let speed { try VoiceSpeedCommand.check(speed) } }

  func run() throws {
    try remote.ask(.voiceMessage(.play(number: number, at: from?.seconds, speed: speed)))
  }
}

/// `comlink voice-message seek TIME`.
struct VoiceSeekCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seek", abstract: "Goes on from another place of what plays.")
  @Argument(help: ArgumentHelp("Seconds from its start, or M:SS.", valueName: "TIME"))
  var time: ClipTime
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.voiceMessage(.seek(to: time.seconds))) }
}

/// `comlink voice-message speed FACTOR`.
struct VoiceSpeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "speed", abstract: "Plays faster or slower, at the same pitch.")
  @Argument(help: ArgumentHelp("0.75…2; 1: as it was recorded.", valueName: "FACTOR"))
  var speed: Double
  @OptionGroup var remote: RemoteOptions

  static func check(_ speed: Double) throws {
    let range = VoiceMessageRequest.speedRange
    guard range.contains(speed) else {
      throw ValidationError("the speed must be from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  func validate() throws { try Self.check(speed) }

  func run() throws { try remote.ask(.voiceMessage(.speed(speed))) }
}

/// `comlink voice-message stop`.
struct VoiceStopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Ends what plays.")
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.voiceMessage(.stop)) }
}

/// `comlink voice-message save NUMBER FILE`.
struct VoiceSaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "save", abstract: "Saves a voice message as an Ogg Opus file.")
  @Argument(help: ArgumentHelp("Its number in comlink messages.", valueName: "NUMBER"))
  var number: Int64
  @Argument(help: ArgumentHelp("A file that is not there yet.", valueName: "FILE"))
  var file: String
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect(timeout: .seconds(15))
    var octets: [UInt8] = []
    var isWhole = false
    while !isWhole {
      let answer = try RemoteOptions.answer(
        of: &client, to: .voiceMessage(.audio(number: number, offset: octets.count)))
      guard case .audio(let part) = answer, part.offset == octets.count,
        !part.octets.isEmpty || part.byteCount == octets.count
      else { throw RemoteFailure.unexpectedAnswer }
      octets += part.octets
      isWhole = octets.count >= part.byteCount
    }
    try write(octets)
  }

  private func write(_ octets: [UInt8]) throws {
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw ValidationError("cannot make \(file): \(errorWords(errno))")
    }
    defer { close(descriptor) }
    var written = 0
    while written < octets.count {
      let count = unsafe octets.withUnsafeBytes { all in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[written...])
        return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw ValidationError("cannot write \(file): \(errorWords(errno))")
      }
      written += count
    }
  }
}

/// A place in a voice message: `75`, `75.5` or `1:15`.
struct ClipTime: ExpressibleByArgument {
  let seconds: Double

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let last = parts.last.flatMap({ Double($0) }), last >= 0,
      last.isFinite
    else { return nil }
    guard parts.count == 2 else {
      seconds = last
      return
    }
    guard let minutes = UInt16(parts[0]), last < 60 else { return nil }
    seconds = Double(minutes) * 60 + last
  }
}
