internal import Remote

extension ControlRequest {
  /// What somebody at the page must be allowed for it.
  var neededRights: PageRights {
    switch self {
    case .status, .subscribe, .version, .peers, .groupList, .line(.list), .key(.list): .listen
    case .talk, .key(.press), .key(.release), .key(.tap), .key(.hold), .say, .messages: .talk
    case .line, .key, .voice, .messagesClear, .sidetone, .gain, .mute, .pan, .accept, .decline,
      .invite, .forget, .block, .testTone, .testLoop, .testSpeech, .loopBack, .loopBackOff,
      .pairShow(group: nil), .pairWith:
      .operate
    // A group's secret goes out, or comes in; files are written; who may do what.
    case .pairShow, .groupNew, .groupJoin, .groupLeave, .identityNew, .recordStart, .recordStop,
      .logLevel, .pageInvite, .pageList, .pageRevoke:
      .admin
    }
  }
}
