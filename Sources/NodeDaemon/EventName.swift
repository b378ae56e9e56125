internal import Logging

/// What the log can tell; the names stay the same from version to version, whatever the words beside them.
///
/// docs/appliance.md describes each.
enum EventName: String, CaseIterable, Sendable {
  case jackWaiting = "jack-waiting"
  case jackRunning = "jack-running"
  case jackChanged = "jack-changed"
  case jackFreewheels = "jack-freewheels"
  case jackFreewheeled = "jack-freewheeled"
  case jackGone = "jack-gone"
  case jackReopened = "jack-reopened"
  case jackPipewire = "jack-pipewire"
  case jackRefused = "jack-refused"
  case jackStalled = "jack-stalled"
  case jackHangs = "jack-hangs"
  case jackAnswers = "jack-answers"
  case jackLeft = "jack-left"
  case connectionsRestored = "connections-restored"
  case portRefused = "port-refused"
  case pluginWaiting = "plugin-waiting"
  case pluginMisfit = "plugin-misfit"
  case audioFault = "audio-fault"

  case peerConnected = "peer-connected"
  case peerLeft = "peer-left"
  case peerMoved = "peer-moved"
  case peerUnresolved = "peer-unresolved"
  case peerFailing = "peer-failing"
  case peerOurselves = "peer-ourselves"
  case tooManyPeers = "too-many-peers"
  case streamTaken = "stream-taken"
  case member
  case memberGone = "member-gone"
  case memberRecords = "member-records"
  case memberRecordsNoMore = "member-records-no-more"
  case asks
  case asksNoMore = "asks-no-more"
  case forgotten
  case declined
  case stranger
  case paired
  case pairingFailed = "pairing-failed"
  case linesRefused = "lines-refused"
  case call
  case audienceFailed = "audience-failed"
  case operatorAct = "operator-act"
  case operatorRefused = "operator-refused"
  case controlFault = "control-fault"
  case meshFault = "mesh-fault"

  case starting
  case setting
  case kernel
  case identity
  case identityTwice = "identity-twice"
  case renamed
  case noIpv6 = "no-ipv6"
  case ready
  case ending
  case endedAtOnce = "ended-at-once"
  case failed
  case rightsMissing = "rights-missing"
  case networkChanged = "network-changed"
  case networkUnwatched = "network-unwatched"
  case discovery
  case discoveryProblem = "discovery-problem"
  case discoveryFailed = "discovery-failed"
  case metricsFailed = "metrics-failed"
  case page
  case pageFailed = "page-failed"
  case pageTrustFailed = "page-trust-failed"
  case guestCame = "guest"
  case guestLeft = "guest-left"
  case guestRefused = "guest-refused"
  case systemdUnreachable = "systemd-unreachable"
  case recording
  case recordingEnded = "recording-ended"
  case recordingFailed = "recording-failed"
  case recordingFileFailed = "recording-file-failed"
  case loopBack = "loop-back"
  case loopBackEnded = "loop-back-ended"
  case loopBackRefused = "loop-back-refused"

  case messageReceived = "message"
  case messageExpired = "message-expired"
  case messageRefused = "message-refused"
  case messageAloud = "message-aloud"
  case messageNotAloud = "message-not-aloud"
  case messagesLost = "messages-lost"
  case messagesNotKept = "messages-not-kept"
  case mirrored
  case mirrorFailed = "mirror-failed"
  case s3Failed = "s3-failed"

  case captionsBegan = "captions"
  case captionsEnded = "captions-ended"
  case captionsFailed = "captions-failed"
  case captionsRefused = "captions-refused"
  case transcriptsFailed = "transcripts-failed"
  case captionsNotKept = "captions-not-kept"
  case session
  case sessionHostLost = "session-host-lost"
  case sessionHostBack = "session-host-back"
  case sessionResumed = "session-resumed"
  case sessionEnded = "session-ended"
  case sessionBatteryLow = "session-battery-low"

  case assistantCall = "assistant-call"
  case assistantEnded = "assistant-ended"
  case assistantFailed = "assistant-failed"
  case assistantTool = "assistant-tool"
  case assistantWoken = "assistant-woken"
  case satellite
  case satelliteLeft = "satellite-left"
  case satelliteRefused = "satellite-refused"
  case satelliteFailed = "satellite-failed"
  case sessionsNotKept = "sessions-not-kept"

  case identityLost = "identity-lost"
  case groupsLost = "groups-lost"
  case trustLost = "trust-lost"
  case mixLost = "mix-lost"
  case portsLost = "ports-lost"
  case namesLost = "names-lost"
  case pageLost = "page-lost"
  case linesLost = "lines-lost"
  case chosenLost = "chosen-lost"
  case notKept = "not-kept"
  case trustNotKept = "trust-not-kept"
  case kept
  case stateHangs = "state-hangs"

  /// How much it matters, as a rule.
  var level: Logger.Level {
    switch self {
    case .audioFault, .meshFault, .endedAtOnce, .failed, .discoveryFailed, .metricsFailed,
      .pageFailed,
      .systemdUnreachable, .recordingFailed, .recordingFileFailed, .identityLost, .groupsLost,
      .trustLost, .mixLost, .portsLost, .namesLost, .linesLost, .notKept, .trustNotKept,
      .stateHangs, .messagesLost, .messagesNotKept, .sessionsNotKept,
      .captionsNotKept:
      .error
    case .jackGone, .jackReopened, .jackPipewire, .jackRefused, .jackStalled, .jackHangs,
      .portRefused, .pluginMisfit, .peerUnresolved, .peerOurselves, .tooManyPeers, .streamTaken,
      .pairingFailed, .pageTrustFailed, .pageLost, .chosenLost, .identityTwice, .rightsMissing,
      .networkUnwatched, .discoveryProblem, .loopBackRefused, .messageRefused, .linesRefused,
      .guestRefused, .audienceFailed, .assistantFailed, .operatorRefused, .captionsFailed,
      .captionsRefused, .transcriptsFailed, .sessionHostLost, .sessionBatteryLow, .mirrorFailed,
      .s3Failed, .messageNotAloud, .satelliteRefused, .satelliteFailed:
      .warning
    case .jackLeft, .peerFailing, .asksNoMore, .controlFault, .starting, .setting, .kernel,
      .identity, .networkChanged, .discovery, .messageReceived, .messageAloud, .mirrored, .page:
      .info
    default: .notice
    }
  }
}
