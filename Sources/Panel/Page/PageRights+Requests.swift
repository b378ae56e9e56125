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

  /// The same, so that a page holds no key longer than a second after it is heard of no more.
  ///
  /// - Parameter page: who holds what the request names no holder for.
  func held(by page: String) -> ControlRequest {
    switch self {
    case .key(.press(let key, nil)): .key(.press(key: key, holder: page))
    case .key(.release(let key, nil)): .key(.release(key: key, holder: page))
    default: self
    }
  }
}
