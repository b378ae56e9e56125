import StatusSchema

@testable import Remote

/// What the golden status has beside the node and its peers.
extension GoldenStatus {
  static var captions: CaptionsStatus {
    var captions = CaptionsStatus(isAvailable: true)
    (captions.isCaptioning, captions.scope) = (true, "line stage")
    (captions.isRefused, captions.refusers) = (true, ["B"])
    captions.sessions = [
      CaptionSessionStatus(
        session: "typm43w3-9xc", captioner: "A", isOwn: true, scope: "line stage", isLive: true,
        chunks: 12)
    ]
    var chunk = CaptionStatus(
      number: 77, session: "typm43w3-9xc", index: 11, talker: "C",
      talkerID: "typm43w3ujqfm3fkpqepbdqhahdrvrrngeehylih2scfoajhv7za", startSeconds: 61.5,
      seconds: 2.25, text: "How far is it?", isFinal: true)
    (chunk.role, chunk.colour) = ("stage left", "ff8000")
    (chunk.language, chunk.confidence) = ("en", 0.75)
    (chunk.hosted, chunk.isMarker, chunk.isAlert) = ("typm43w3-9xd", false, false)
    chunk.unixSeconds = 1_800_000_061.5
    captions.recent = [chunk]
    var hosted = HostedSessionStatus(
      session: "typm43w3-9xd", name: "Show", host: "A", line: "stage", state: "live")
    (hosted.isOwn, hosted.isJoined, hosted.chunks, hosted.batteryPercent) = (true, true, 12, 40)
    hosted.listeners = [SessionListenerStatus(name: "B", behindSeconds: 1.5)]
    (captions.hosted, captions.isOffered) = ([hosted], true)
    captions.refused = 3
    captions.problem = "the recogniser at tcp://127.0.0.1:10300: the speech service does not answer"
    (captions.lostFrames, captions.keepDays) = (480, 30)
    captions.transcripts = "/srv/transcripts"
    captions.transcriptProblem = "the transcript cannot be written: No space left on device"
    return captions
  }

  /// ``captions`` in the JSON.
  static let captionsJSON = """
      "captions" : {
        "hosted" : [
          {
            "batteryPercent" : 40,
            "chunks" : 12,
            "host" : "A",
            "isJoined" : true,
            "isOwn" : true,
            "isSolo" : false,
            "line" : "stage",
            "listeners" : [
              {
                "behindSeconds" : 1.5,
                "name" : "B"
              }
            ],
            "name" : "Show",
            "session" : "typm43w3-9xd",
            "state" : "live"
          }
        ],
        "isAutomatic" : false,
        "isAvailable" : true,
        "isCaptioning" : true,
        "isOffered" : true,
        "isRefused" : true,
        "keepDays" : 30,
        "lostFrames" : 480,
        "problem" : "the recogniser at tcp://127.0.0.1:10300: the speech service does not answer",
        "recent" : [
          {
            "colour" : "ff8000",
            "confidence" : 0.75,
            "hosted" : "typm43w3-9xd",
            "index" : 11,
            "isAlert" : false,
            "isFinal" : true,
            "isMarker" : false,
            "language" : "en",
            "number" : 77,
            "role" : "stage left",
            "seconds" : 2.25,
            "session" : "typm43w3-9xc",
            "startSeconds" : 61.5,
            "talker" : "C",
            "talkerID" : "typm43w3ujqfm3fkpqepbdqhahdrvrrngeehylih2scfoajhv7za",
            "text" : "How far is it?",
            "unixSeconds" : 1800000061.5
          }
        ],
        "refused" : 3,
        "refusers" : [
          "B"
        ],
        "scope" : "line stage",
        "sessions" : [
          {
            "captioner" : "A",
            "chunks" : 12,
            "isLive" : true,
            "isOwn" : true,
            "scope" : "line stage",
            "session" : "typm43w3-9xc"
          }
        ],
        "transcriptProblem" : "the transcript cannot be written: No space left on device",
        "transcripts" : "/srv/transcripts"
      },
    """

  static var control: ControlStatus {
    var control = ControlStatus()
    control.subscribers = 2
    return control
  }

  static var assistant: AssistantStatus {
    var assistant = AssistantStatus(state: "speaking", name: "Ada")
    assistant.colour = "00ff80"
    assistant.session = "k3s6vdq2ws7zbrpfmmz6yzmbka"
    assistant.line = "stage"
    (assistant.calls, assistant.called, assistant.failed) = (1, 3, 2)
    assistant.problem = "the language model stopped in the middle of its answer; ask again"
    assistant.keepingProblem = "the disk is full"
    return assistant
  }

  static var audio: AudioStatus {
    var audio = AudioStatus(
      state: .running, server: "default", client: "comlink", sampleRate: 48_000, periodFrames: 64,
      xruns: 3, missedPeriods: 6, callbackMeanMicroseconds: 8.5, callbackWorstMicroseconds: 40.25,
      callbackLoadPercent: 0.75, captureOverruns: 1)
    audio.callbackRecentWorstMicroseconds = 20.5
    audio.problem = "JACK client name 'comlink' is in use"
    audio.underruns = ["callbacks": 1, "wakeUps": 4]
    audio.refusedPeriods = 7
    audio.implementation = "jackd 1.9.21"
    audio.ringErrors = 1
    return audio
  }

  static var messages: MessagesStatus {
    var messages = MessagesStatus()
    (messages.unread, messages.last, messages.waiting) = (2, 40, 1)
    (messages.keptBytes, messages.received, messages.refused) = (2048, 30, ["forged": 1])
    messages.revision = 90
    messages.problem = "the disk is full"
    var mirror = MirrorStatus()
    (mirror.sent, mirror.refused) = (12, 1)
    mirror.problem = "the service has no room left (507)"
    messages.mirror = mirror
    var aloud = AloudStatus()
    (aloud.sender, aloud.waiting, aloud.spoken) = ("anna", 1, 4)
    aloud.dropped = ["flood": 2]
    aloud.problem = "the service said nothing"
    messages.aloud = aloud
    messages.recording = VoiceRecordingStatus(
      seconds: 541.5, isPaused: true, levelDBFS: -20, peaks: "00ff")
    messages.recording?.warning = "it ends by itself in 58 s"
    messages.playing = VoicePlayingStatus(
      number: 7, seconds: 2.5, totalSeconds: 30, speed: 1.5, isPaused: false)
    return messages
  }

  static var recording: RecordingStatus {
    var recording = RecordingStatus(
      path: "/srv/takes/2026-11-22_14.33.05", format: "opus", mostBytes: 10_000_000_000)
    recording.isRunning = false
    recording.seconds = 3723.5
    recording.bytes = 123_456_789
    recording.files = 9
    recording.failedFiles = 1
    recording.fileProblem = "anna: too large a file"
    recording.droppedFrames = 480
    recording.stalledSeconds = 2.5
    recording.endReason = "the disk is full"
    recording.hasFailed = true
    return recording
  }

  /// ``recording`` in the JSON.
  static let recordingJSON = """
      "recording" : {
        "bytes" : 123456789,
        "droppedFrames" : 480,
        "endReason" : "the disk is full",
        "failedFiles" : 1,
        "fileProblem" : "anna: too large a file",
        "files" : 9,
        "format" : "opus",
        "hasFailed" : true,
        "isRunning" : false,
        "mostBytes" : 10000000000,
        "path" : "/srv/takes/2026-11-22_14.33.05",
        "seconds" : 3723.5,
        "stalledSeconds" : 2.5
      },
    """

  /// ``guests`` in the JSON.
  static let guestsJSON = """
      "guests" : [
        {
          "assistant" : {
            "session" : "4fq",
            "state" : "listening"
          },
          "colour" : "36a2eb",
          "concealed" : 1,
          "isOn" : true,
          "isTalking" : true,
          "jitterMilliseconds" : 3.25,
          "levelDBFS" : -21.5,
          "lost" : 2,
          "name" : "Gina",
          "number" : 3,
          "playoutDelayMilliseconds" : 22.5,
          "port" : "comlink:peer_Gina (guest)",
          "quality" : 4.5,
          "received" : 900,
          "session" : "k7qd2m"
        }
      ],
    """

  static func guest(
    number: Int? = nil, session: String? = nil, isOn: Bool? = nil
  ) -> GuestStatus {
    var guest = GuestStatus(name: "Gina")
    (guest.number, guest.session, guest.isOn) = (number, session, isOn)
    guest.assistant = number.map { _ in
      GuestStatus.AssistantCall(session: "4fq", state: "listening")
    }
    (guest.isTalking, guest.colour) = (true, "36a2eb")
    guest.levelDBFS = -21.5
    (guest.playoutDelayMilliseconds, guest.jitterMilliseconds) = (22.5, 3.25)
    (guest.received, guest.lost, guest.concealed) = (900, 2, 1)
    guest.quality = 4.5
    guest.port = "comlink:peer_Gina (guest)"
    return guest
  }

  static var line: LineStatus {
    var line = LineStatus(name: "Bühne")
    (line.isJoined, line.isListening, line.isSetListening, line.isTalking) = (
      true, false, true, true
    )
    line.levelDecibels = -6.5
    (line.pan, line.port, line.priority) = (-0.25, "line_Bühne", 2)
    line.display = "BHN"
    (line.members, line.talkers) = (["B", "C"], ["B"])
    (line.isPrivate, line.invited, line.invitedBy) = (true, ["D"], "E")
    return line
  }

  static var `operator`: OperatorStatus {
    var status = OperatorStatus(name: "C", id: "abc", rights: ["levels", "kill"])
    (status.acts, status.lastAct) = (2, #"{"request":"mic-kill"}"#)
    return status
  }

  static var key: KeyStatus {
    var key = KeyStatus(
      name: "show", lines: ["Bühne"], activation: "dual", latchMilliseconds: 300)
    key.interlock = 2
    (key.isSet, key.isHeld, key.isLatched, key.isPresent) = (true, true, false, true)
    key.tally = .talkListen
    key.talkers = ["B"]
    (key.targets, key.isCalled, key.midi) = (["member:B"], true, "note 60")
    key.latchRefusedBy = "B"
    return key
  }

  static var input: InputStatus {
    var input = InputStatus(
      name: "desk", ports: ["in_desk"], isOn: true, isTalking: true, levelDBFS: -18.5)
    input.lines = ["stage"]
    return input
  }

  static var bus: BusStatus {
    BusStatus(
      name: "ifb", port: "bus_ifb", levelDBFS: -30.5, allDecibels: -3,
      peersDecibels: ["B": 1.5], peersOff: ["C"])
  }

  static var midi: MIDIStatus {
    var midi = MIDIStatus()
    (midi.sources, midi.destinations) = (["pads:keys"], ["pads:lamps"])
    (midi.received, midi.ignored, midi.refused, midi.refusedPresses) = (9, 2, 1, 3)
    (midi.lost, midi.sent, midi.unsent, midi.problem) = (4, 8, 5, "p")
    return midi
  }

  static var calls: CallsStatus {
    var (calls, call) = (CallsStatus(), CallStatus(peer: "B"))
    call.line = "Bühne"
    (call.isRinging, call.isTalking, call.isAnswering) = (true, false, true)
    calls.incoming = [call]
    (call.peer, call.isAnswering) = ("", false)
    calls.outgoing = [call]
    calls.announcers = ["C"]
    return calls
  }
}
