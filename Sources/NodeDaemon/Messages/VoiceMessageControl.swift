internal import Cryptography
internal import Dispatch
internal import FoundationEssentials
internal import Intercom
internal import Messages
internal import Recording
internal import Remote
internal import StatusSchema

/// Carries out the requests about voice messages.
struct VoiceMessageControl {
  /// One file at a time: decoding one may take 512 MB.
  private static let importing = DispatchQueue(label: "comlink-import")

  let voices: VoiceMessages
  /// Who is meant by what users say.
  let names: MessageControl

  func handle(_ request: VoiceMessageRequest) async -> ControlResponse {
    do {
      return try await answer(request)
    } catch {
      return .error(message: "\(error)")
    }
  }

  private func answer(_ request: VoiceMessageRequest) async throws -> ControlResponse {
    let (recorder, player) = (voices.recorder, voices.player)
    switch request {
    case .record: try await recorder.begin()
    case .pause: try await setPaused(true)
    case .resume: try await setPaused(false)
    case .cancel: try await recorder.cancel()
    case .send(let to, nil): return .messages([try await sendRecorded(to: to)])
    case .send(let to, let upload?):
      return .messages([try await sendFile(upload, to: to)])
    case .upload(let name, let offset, let octets):
      try await voices.uploads.add(Array(octets), at: offset, to: name)
    case .play(let number, let place, let speed):
      let file = try await voices.office.audio(of: number, marksRead: true)
      try await player.play(file, number: number, at: place, speed: speed)
    case .seek(let place): try await player.seek(to: place)
    case .speed(let speed): try await player.setSpeed(speed)
    case .stop: try await player.stop()
    case .audio(let number, let offset):
      return .audio(try await part(of: number, from: offset))
    }
    return .ok
  }

  /// What is being recorded, or else what plays.
  private func setPaused(_ isPaused: Bool) async throws {
    if await voices.recorder.isRecording {
      try await voices.recorder.setPaused(isPaused)
    } else {
      try await voices.player.setPaused(isPaused)
    }
  }

  private func sendRecorded(to text: String) async throws -> MessageStatus {
    let conversation = try await names.conversation(text)
    let clip = try await voices.recorder.finish()
    let message = try await voices.office.send(clip, to: conversation)
    try await voices.recorder.cancel()
    return message
  }

  private func sendFile(_ upload: String, to text: String) async throws -> MessageStatus {
    let conversation = try await names.conversation(text)
    let clip = try await Self.clip(of: try await voices.uploads.take(upload))
    return try await voices.office.send(clip, to: conversation)
  }

  /// Decodes a file of any kind, which may take seconds; nobody waits for it but who asked.
  static func clip(of file: [UInt8]) async throws(ClipError) -> Clip {
    let outcome: Result<Clip, ClipError> = await withCheckedContinuation { continuation in
      importing.async {
        continuation.resume(
          returning: Result { () throws(ClipError) in
            try ClipImport().clip(of: file, vendor: VoiceMessages.vendor)
          })
      }
    }
    return try outcome.get()
  }

  private func part(of number: Int64, from offset: Int) async throws -> AudioPart {
    let file = try await voices.office.audio(of: number, marksRead: false)
    let start = min(max(0, offset), file.count)
    let end = min(start + VoiceMessageRequest.pieceBytes, file.count)
    return AudioPart(offset: start, byteCount: file.count, octets: Data(file[start..<end]))
  }
}

extension VoiceMessageStatus {
  /// What a clip is, for people.
  init(_ clip: VoiceClip) {
    self.init(
      seconds: Double(clip.milliseconds) / 1000, bytes: clip.attachment.byteCount,
      peaks: Digest.hexadecimal(clip.peaks))
  }
}
