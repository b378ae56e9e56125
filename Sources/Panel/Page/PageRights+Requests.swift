internal import Remote

extension ControlRequest {
  /// What somebody at the page must be allowed for it.
  var neededRights: PageRights {
    switch self {
    case .status, .subscribe, .version, .peers, .groupList: .listen
    case .talk: .talk
    case .sidetone, .gain, .mute, .pan, .accept, .decline, .invite, .forget, .block, .testTone,
      .testLoop, .testSpeech, .loopBack, .loopBackOff, .pairShow(group: nil), .pairWith:
      .operate
    // A group's secret goes out, or comes in; files are written; who may do what.
    case .pairShow, .groupNew, .groupJoin, .groupLeave, .identityNew, .recordStart, .recordStop,
      .logLevel, .pageInvite, .pageList, .pageRevoke:
      .admin
    }
  }
}
