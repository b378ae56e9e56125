import StatusSchema

@testable import Remote

/// A status with every field set, and the JSON that schema 1 gives it for ever.
enum GoldenStatus {
  static var value: Status {
    var status = Status(
      node: node, audio: audio,
      loop: LoopStatus(
        wakes: 100_000, enters: 100_007, wakeLatencyP50Microseconds: 24,
        wakeLatencyP99Microseconds: 152, scheduling: "fifo 55", memoryLocked: true),
      network: NetworkStatus(
        packetsSent: 20_000, packetsReceived: 19_990, drops: ["truncated": 2, "unknownSource": 7]),
      peers: [peer, PeerStatus(name: "C", address: "[::1]:5008")])
    (status.recording, status.lines, status.keys, status.calls) = (recording, [line], [key], calls)
    (status.messages, status.assistant, status.operators) = (messages, assistant, [`operator`])
    (status.control, status.guests) = (control, [guest(number: 3, session: "k7qd2m", isOn: true)])
    (status.inputs, status.buses, status.midi, status.captions) = ([input], [bus], midi, captions)
    return status
  }

  private static var node: NodeStatus {
    var node = NodeStatus(
      name: "A", version: "0.1.0", uptimeSeconds: 3723.5, listen: "127.0.0.1:5004", talk: true,
      micLevelDBFS: -23.5, micPeakDBFS: -12, mixLevelDBFS: -.infinity, ssrc: 3_735_928_559,
      ptimeMilliseconds: 2.5, bitrateKilobits: 64, bitrateMaxKilobits: 96, application: "lowdelay")
    node.id = "typm43w3ujqfm3fkpqepbdqhahdrvrrngeehylih2scfoajhv7za"
    node.idWords = "mosaic border rainbow gymnast siesta napkin forest equator"
    node.instance = 12
    node.loopBack = LoopBackStatus(peer: "B", secondsLeft: 250.25)
    node.identityProblem = "no place for the node's state"
    node.identityTwin = "this identity runs on another node, started earlier: it is kept out"
    node.trustProblem = "the file of whom this node trusts is damaged"
    node.keepingProblem = "gain, pan, mute and talk hold for this run only: the disk is full"
    node.statePath = "/var/lib/comlink"
    node.keyEpoch = 3
    node.sidetoneDecibels = -18
    var voice = VoiceStatus(
      settings: ["gain": "auto", "suppress": "light"], delayMilliseconds: 10)
    (voice.isEchoFound, voice.echoEngine, voice.isTalkingMuted) = (true, "own", true)
    (voice.hearsSpeech, voice.gainDecibels) = (true, 6.5)
    (voice.isTransmitting, voice.problem) = (false, "RNNoise is not installed")
    node.voice = voice
    node.ear = ["volume": "-6"]
    (node.battery, node.profile) = (BatteryStatus(percent: 18, isPlugged: false), "wifi")
    return node
  }

  private static var peer: PeerStatus {
    var peer = PeerStatus(name: "B", address: "127.0.0.1:5006", state: .connected)
    peer.id = "xwgx4ts5vfnxyrxk2ikhgbhqt3w6ltkyqcnqtwmaxqmjixj2ua4q"
    peer.instance = 1_795_000_000
    (peer.role, peer.colour, peer.version) = ("stage left", "ff8000", "0.1.0")
    peer.ssrc = 4_000_000_000
    peer.isTalking = true
    peer.levelDBFS = -21.5
    (peer.gainDecibels, peer.levellingDecibels, peer.pan) = (-6, 2.5, -0.5)
    (peer.azimuthDegrees, peer.elevationDegrees) = (-30, 10)
    (peer.isMuted, peer.isRecording) = (false, true)
    (peer.isLoopingBack, peer.effect, peer.people) = (false, "radio", "deaf")
    peer.guests = [guest()]
    peer.jitterMilliseconds = 0.25
    peer.roundTripMilliseconds = 1.5
    peer.playoutDelayMilliseconds = 7.5
    peer.driftPPM = -42.5
    peer.isClockLocked = true
    peer.received = 12_345
    peer.lost = 12
    peer.repaired = 9
    peer.resent = 4
    (peer.recovered, peer.late, peer.duplicate) = (2, 3, 1)
    (peer.concealed, peer.underrun, peer.spliced) = (15, 2, 5)
    peer.lossPercent = 0.5
    peer.remoteLossPercent = 0.25
    peer.bitrateKilobits = 63.5
    peer.sentBitrateKilobits = 103.25
    peer.sentCopies = "1+3 low rate"
    peer.quality = 4.25
    peer.qualityReason = "12 % loss in bursts of 3, repaired by copies; playout 48 ms"
    peer.port = "comlink:peer_B"
    var stream = PeerStreamStatus(name: "program")
    (stream.ssrc, stream.isTalking, stream.levelDBFS) = (5, true, -20.5)
    stream.channels = 2
    (stream.received, stream.lost, stream.repaired, stream.late) = (99, 3, 2, 1)
    (stream.bitrateKilobits, stream.playoutDelayMilliseconds) = (64.5, 8.5)
    stream.port = "comlink:peer_B program"
    peer.streams = [stream]
    return peer
  }

  static let json = """
    {
      "assistant" : {
        "called" : 3,
        "calls" : 1,
        "colour" : "00ff80",
        "failed" : 2,
        "keepingProblem" : "the disk is full",
        "line" : "stage",
        "name" : "Ada",
        "problem" : "the language model stopped in the middle of its answer; ask again",
        "session" : "k3s6vdq2ws7zbrpfmmz6yzmbka",
        "state" : "speaking"
      },
      "audio" : {
        "callbackLoadPercent" : 0.75,
        "callbackMeanMicroseconds" : 8.5,
        "callbackRecentWorstMicroseconds" : 20.5,
        "callbackWorstMicroseconds" : 40.25,
        "captureOverruns" : 1,
        "client" : "comlink",
        "implementation" : "jackd 1.9.21",
        "missedPeriods" : 6,
        "periodFrames" : 64,
        "problem" : "JACK client name 'comlink' is in use",
        "refusedPeriods" : 7,
        "ringErrors" : 1,
        "sampleRate" : 48000,
        "server" : "default",
        "state" : "running",
        "underruns" : {
          "callbacks" : 1,
          "wakeUps" : 4
        },
        "xruns" : 3
      },
      "buses" : [
        {
          "allDecibels" : -3,
          "levelDBFS" : -30.5,
          "name" : "ifb",
          "peersDecibels" : {
            "B" : 1.5
          },
          "peersOff" : [
            "C"
          ],
          "port" : "bus_ifb"
        }
      ],
      "calls" : {
        "announcers" : [
          "C"
        ],
        "incoming" : [
          {
            "isAnswering" : true,
            "isRinging" : true,
            "isTalking" : false,
            "line" : "Bühne",
            "peer" : "B"
          }
        ],
        "outgoing" : [
          {
            "isAnswering" : false,
            "isRinging" : true,
            "isTalking" : false,
            "line" : "Bühne",
            "peer" : ""
          }
        ]
      },
    \(captionsJSON)
      "control" : {
        "clients" : 0,
        "malformed" : 0,
        "oversized" : 0,
        "refused" : 0,
        "requests" : 0,
        "subscribers" : 2,
        "timedOut" : 0
      },
    \(guestsJSON)
      "inputs" : [
        {
          "isOn" : true,
          "isTalking" : true,
          "levelDBFS" : -18.5,
          "lines" : [
            "stage"
          ],
          "name" : "desk",
          "ports" : [
            "in_desk"
          ]
        }
      ],
      "keys" : [
        {
          "activation" : "dual",
          "interlock" : 2,
          "isCalled" : true,
          "isHeld" : true,
          "isLatched" : false,
          "isPresent" : true,
          "isSet" : true,
          "latchMilliseconds" : 300,
          "latchRefusedBy" : "B",
          "lines" : [
            "Bühne"
          ],
          "midi" : "note 60",
          "name" : "show",
          "talkers" : [
            "B"
          ],
          "tally" : "talk-listen",
          "targets" : [
            "member:B"
          ]
        }
      ],
      "lines" : [
        {
          "display" : "BHN",
          "invited" : [
            "D"
          ],
          "invitedBy" : "E",
          "isJoined" : true,
          "isListening" : false,
          "isPrivate" : true,
          "isSetListening" : true,
          "isTalking" : true,
          "levelDecibels" : -6.5,
          "members" : [
            "B",
            "C"
          ],
          "name" : "Bühne",
          "pan" : -0.25,
          "port" : "line_Bühne",
          "priority" : 2,
          "talkers" : [
            "B"
          ]
        }
      ],
      "loop" : {
        "enters" : 100007,
        "memoryLocked" : true,
        "scheduling" : "fifo 55",
        "wakeLatencyP50Microseconds" : 24,
        "wakeLatencyP99Microseconds" : 152,
        "wakes" : 100000
      },
      "messages" : {
        "aloud" : {
          "dropped" : {
            "flood" : 2
          },
          "problem" : "the service said nothing",
          "sender" : "anna",
          "spoken" : 4,
          "waiting" : 1
        },
        "keptBytes" : 2048,
        "last" : 40,
        "mirror" : {
          "problem" : "the service has no room left (507)",
          "refused" : 1,
          "sent" : 12
        },
        "playing" : {
          "isPaused" : false,
          "number" : 7,
          "seconds" : 2.5,
          "speed" : 1.5,
          "totalSeconds" : 30
        },
        "problem" : "the disk is full",
        "received" : 30,
        "recording" : {
          "isPaused" : true,
          "levelDBFS" : -20,
          "peaks" : "00ff",
          "seconds" : 541.5,
          "warning" : "it ends by itself in 58 s"
        },
        "refused" : {
          "forged" : 1
        },
        "revision" : 90,
        "unread" : 2,
        "waiting" : 1
      },
      "midi" : {
        "destinations" : [
          "pads:lamps"
        ],
        "ignored" : 2,
        "lost" : 4,
        "problem" : "p",
        "received" : 9,
        "refused" : 1,
        "refusedPresses" : 3,
        "sent" : 8,
        "sources" : [
          "pads:keys"
        ],
        "unsent" : 5
      },
      "network" : {
        "drops" : {
          "truncated" : 2,
          "unknownSource" : 7
        },
        "packetsReceived" : 19990,
        "packetsSent" : 20000
      },
      "node" : {
        "application" : "lowdelay",
        "battery" : {
          "isPlugged" : false,
          "percent" : 18
        },
        "bitrateKilobits" : 64,
        "bitrateMaxKilobits" : 96,
        "ear" : {
          "volume" : "-6"
        },
        "id" : "typm43w3ujqfm3fkpqepbdqhahdrvrrngeehylih2scfoajhv7za",
        "idWords" : "mosaic border rainbow gymnast siesta napkin forest equator",
        "identityProblem" : "no place for the node's state",
        "identityTwin" : "this identity runs on another node, started earlier: it is kept out",
        "instance" : 12,
        "keepingProblem" : "gain, pan, mute and talk hold for this run only: the disk is full",
        "keyEpoch" : 3,
        "listen" : "127.0.0.1:5004",
        "loopBack" : {
          "peer" : "B",
          "secondsLeft" : 250.25
        },
        "micLevelDBFS" : -23.5,
        "micPeakDBFS" : -12,
        "mixLevelDBFS" : -120,
        "name" : "A",
        "profile" : "wifi",
        "ptimeMilliseconds" : 2.5,
        "sidetoneDecibels" : -18,
        "ssrc" : 3735928559,
        "statePath" : "/var/lib/comlink",
        "talk" : true,
        "trustProblem" : "the file of whom this node trusts is damaged",
        "uptimeSeconds" : 3723.5,
        "version" : "0.1.0",
        "voice" : {
          "delayMilliseconds" : 10,
          "echoEngine" : "own",
          "gainDecibels" : 6.5,
          "hearsSpeech" : true,
          "isEchoFound" : true,
          "isTalkingMuted" : true,
          "isTransmitting" : false,
          "problem" : "RNNoise is not installed",
          "settings" : {
            "gain" : "auto",
            "suppress" : "light"
          }
        }
      },
      "operators" : [
        {
          "acts" : 2,
          "id" : "abc",
          "lastAct" : "{\\"request\\":\\"mic-kill\\"}",
          "name" : "C",
          "rights" : [
            "levels",
            "kill"
          ]
        }
      ],
      "peers" : [
        {
          "address" : "127.0.0.1:5006",
          "azimuthDegrees" : -30,
          "bitrateKilobits" : 63.5,
          "colour" : "ff8000",
          "concealed" : 15,
          "driftPPM" : -42.5,
          "duplicate" : 1,
          "effect" : "radio",
          "elevationDegrees" : 10,
          "gainDecibels" : -6,
          "guests" : [
            {
              "colour" : "36a2eb",
              "concealed" : 1,
              "isTalking" : true,
              "jitterMilliseconds" : 3.25,
              "levelDBFS" : -21.5,
              "lost" : 2,
              "name" : "Gina",
              "playoutDelayMilliseconds" : 22.5,
              "port" : "comlink:peer_Gina (guest)",
              "quality" : 4.5,
              "received" : 900
            }
          ],
          "id" : "xwgx4ts5vfnxyrxk2ikhgbhqt3w6ltkyqcnqtwmaxqmjixj2ua4q",
          "instance" : 1795000000,
          "isClockLocked" : true,
          "isLoopingBack" : false,
          "isMuted" : false,
          "isRecording" : true,
          "isTalking" : true,
          "jitterMilliseconds" : 0.25,
          "late" : 3,
          "levelDBFS" : -21.5,
          "levellingDecibels" : 2.5,
          "lossPercent" : 0.5,
          "lost" : 12,
          "name" : "B",
          "pan" : -0.5,
          "people" : "deaf",
          "playoutDelayMilliseconds" : 7.5,
          "port" : "comlink:peer_B",
          "quality" : 4.25,
          "qualityReason" : "12 % loss in bursts of 3, repaired by copies; playout 48 ms",
          "received" : 12345,
          "recovered" : 2,
          "remoteLossPercent" : 0.25,
          "repaired" : 9,
          "resent" : 4,
          "role" : "stage left",
          "roundTripMilliseconds" : 1.5,
          "sentBitrateKilobits" : 103.25,
          "sentCopies" : "1+3 low rate",
          "spliced" : 5,
          "ssrc" : 4000000000,
          "state" : "connected",
          "streams" : [
            {
              "bitrateKilobits" : 64.5,
              "channels" : 2,
              "isTalking" : true,
              "late" : 1,
              "levelDBFS" : -20.5,
              "lost" : 3,
              "name" : "program",
              "playoutDelayMilliseconds" : 8.5,
              "port" : "comlink:peer_B program",
              "received" : 99,
              "repaired" : 2,
              "ssrc" : 5
            }
          ],
          "underrun" : 2,
          "version" : "0.1.0"
        },
        {
          "address" : "[::1]:5008",
          "bitrateKilobits" : 0,
          "concealed" : 0,
          "duplicate" : 0,
          "gainDecibels" : 0,
          "isMuted" : false,
          "isTalking" : false,
          "jitterMilliseconds" : 0,
          "late" : 0,
          "levelDBFS" : -120,
          "lossPercent" : 0,
          "lost" : 0,
          "name" : "C",
          "pan" : 0,
          "playoutDelayMilliseconds" : 0,
          "port" : "",
          "received" : 0,
          "repaired" : 0,
          "resent" : 0,
          "spliced" : 0,
          "state" : "connecting",
          "underrun" : 0
        }
      ],
    \(recordingJSON)
      "schema" : 1,
      "schemaMinor" : 10
    }
    """
}
