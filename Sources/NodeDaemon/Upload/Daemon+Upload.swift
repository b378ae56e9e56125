internal import Intercom
internal import Journal
internal import Logging
internal import Messages
internal import Remote
internal import Store
internal import WebService

/// Voice messages that lie or go elsewhere.
extension Daemon {
  /// The page, and where programs upload to.
  func pageDesk(_ state: NodeState) -> PageDesk {
    PageDesk(effective.configuration.page, state, store: uploadStore(), log: logger("page"))
  }

  /// Voice messages, and where they are mirrored to.
  func voiceMessages(
    of node: Intercom, _ office: MessageOffice, _ membership: Membership, _ lines: LineService,
    _ state: NodeState, by writer: StateWriter
  ) -> VoiceMessages {
    let names = MessageControl(office: office, membership: membership, lines: lines)
    do throws(SecretLine.Problem) {
      return VoiceMessages(
        node: node, office: office,
        mirror: try uploadMirror(of: office, names, state, by: writer))
    } catch {
      logger("messages").event(.mirrorFailed, "\(error)")
      return VoiceMessages(node: node, office: office, mirror: nil, mirrorProblem: "\(error)")
    }
  }

  /// The bucket of programs' uploads; where it cannot be used, they lie at the node.
  private func uploadStore() -> S3Store? {
    do throws(SecretLine.Problem) {
      return try S3Store(effective.configuration.s3)
    } catch {
      logger("page").event(.s3Failed, "\(error); until then uploads lie at this node")
      return nil
    }
  }

  /// The mirror of voice messages; nil: none is wanted.
  private func uploadMirror(
    of office: MessageOffice, _ names: MessageControl, _ state: NodeState, by writer: StateWriter
  ) throws(SecretLine.Problem) -> UploadMirror? {
    let (settings, log) = (effective.configuration.mirror, logger("messages"))
    guard let place = settings.place,
      let token = try SecretLine.read(settings.tokenFile, of: .uploadTokenFile)
    else { return nil }
    let client = try Self.client(believing: settings.authorities)
    let reader = MirrorReader(office: office, names: names, sources: settings.sources)
    return UploadMirror(
      to: place, token: token,
      UploadMirror.Surroundings(
        newest: { await office.newest },
        next: { (number) async throws(JournalError) in try await reader.next(after: number) },
        sound: { (number) async throws(JournalError) in
          UploadMirror.Sound(try await office.voice(of: number))
        },
        kept: mirrorRecord(of: state, log),
        keep: { (record) async throws(StoreError) in
          guard let octets = try? JSONLine.encode(record) else { return }
          try await writer.run { () throws(StoreError) in try state.keep(mirror: octets) }
        },
        ask: { (request) async throws(WebFault) in try await client.ask(request) },
        pause: { await office.waitForMessage(seconds: $0) }),
      log: log)
  }

  /// What was mirrored in former runs; where that cannot be read, the mirror begins with what comes next.
  private func mirrorRecord(of state: NodeState, _ log: Logger) -> UploadMirror.Record? {
    do throws(StoreError) {
      return try state.mirror().flatMap { try? JSONLine.decode(UploadMirror.Record.self, from: $0) }
    } catch {
      log.event(.mirrorFailed, "\(error); what comes from now on is mirrored")
      return nil
    }
  }

  private static func client(
    believing authorities: String
  ) throws(SecretLine.Problem) -> WebClient {
    guard !authorities.isEmpty else { return WebClient() }
    do throws(WebClient.TrustProblem) {
      return try WebClient(authorities: authorities)
    } catch {
      throw SecretLine.Problem(description: "upload-authorities \(authorities) \(error.words)")
    }
  }
}

/// What is said in voice messages.
extension Daemon {
  /// Transcribes voice messages until the process ends; what is done is kept message by message.
  func transcribe(
    _ office: MessageOffice, _ captions: CaptionService
  ) {
    let speech = effective.configuration.speech
    guard let service = speech.asr else { return }
    let transcriber = VoiceTranscriber(
      at: service, allowing: speech.allow, language: speech.language,
      VoiceTranscriber.Surroundings(
        unheard: { () async throws(JournalError) in try await office.unheard() },
        permits: { await captions.permits($0) }, isBusy: { await captions.isListening },
        sound: { (number) async throws(JournalError) in try await office.voice(of: number) },
        keep: { (text, number) async throws(JournalError) in
          try await office.keep(transcript: text, of: number)
        },
        pause: { await office.waitForMessage(seconds: $0) }),
      log: logger("messages"))
    Task { await transcriber.run() }
  }
}

/// Finds what is to be mirrored.
struct MirrorReader: Sendable {
  /// Numbers that are looked at at a time.
  private static let window: Int64 = 500

  let office: MessageOffice
  /// Who is meant by what users say.
  let names: MessageControl
  let sources: [MirrorSettings.Source]

  /// The next voice message after a number.
  func next(after number: Int64) async throws(JournalError) -> UploadMirror.Look {
    var remotes: [Conversation: String] = [:]
    for source in sources {
      guard let conversation = try? await names.conversation(source.name) else {
        return UploadMirror.Look(unknown: source.name)
      }
      remotes[conversation] = source.remote
    }
    let newest = await office.newest
    var low = number
    while low < newest {
      for entry in try await office.voiceMessages(after: low, before: low + Self.window + 1) {
        guard let remote = remotes[entry.message.conversation],
          case .voice(let clip) = entry.message.content
        else { continue }
        return UploadMirror.Look(
          candidate: UploadMirror.Candidate(
            number: entry.number, remote: remote, seconds: Double(clip.milliseconds) / 1000))
      }
      low += Self.window
    }
    return UploadMirror.Look()
  }
}
