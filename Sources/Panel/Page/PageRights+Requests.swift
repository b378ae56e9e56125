package import Remote

extension ControlRequest {
  /// What somebody at the page must be allowed for it.
  package var neededRights: PageRights {
    switch self {
    // What was said while nobody of the page was there.
    case .captions(.show(let query)) where query.isKept == true: .operate
    case .status, .subscribe, .version, .peers, .groupList, .line(.list), .key(.list),
      .call(.list), .service(.doctor), .captions(.show):
      .listen
    case .assistant(let request): request.neededRights
    case .talk, .line(.again), .key(.press), .key(.release), .key(.tap), .key(.hold), .call, .say,
      .messages, .messageAct(.edit), .messageAct(.react), .voiceMessage:
      .talk
    // Consent, or what is done to what others say, is the operator's.
    case .captions, .session: .operate
    case .line, .key, .ear, .patch, .voice, .messagesClear, .messageAct(.keep), .sidetone, .gain,
      .mute, .pan, .place,
      .accept,
      .decline,
      .invite, .forget, .block, .testTone, .testLoop, .testSpeech, .loopBack, .loopBackOff, .sound,
      .pairShow(group: nil), .pairWith:
      .operate
    case .operators(.at), .operators(.kill): .operate
    // A group's secret goes out, or comes in; files are written; who may do what.
    case .operators, .pairShow, .groupNew, .groupJoin, .groupLeave, .identityNew, .recordStart,
      .recordStop, .logLevel, .pageInvite, .pageList, .pageRevoke, .pageToken, .service(.restart),
      .choose:
      .admin
    }
  }

  /// The same, so that a page holds no key longer than a second after it is heard of no more.
  ///
  /// - Parameters:
  ///   - page: who holds what the request names no holder for.
  ///   - rights: what an assistant may do for it.
  func held(by page: String, with rights: PageRights) -> ControlRequest {
    switch self {
    case .key(.press(let key, nil)): .key(.press(key: key, holder: page))
    case .key(.release(let key, nil, let isTap)):
      .key(.release(key: key, holder: page, isTap: isTap))
    case .assistant(let request): .assistant(request.asked(byPage: page, with: rights))
    default: self
    }
  }
}

extension AssistantRequest {
  /// To talk to the assistant; whose consent and sessions are whose, the assistant knows.
  fileprivate var neededRights: PageRights { .talk }

  /// The same, for somebody at the page: nobody there is somebody else.
  fileprivate func asked(byPage page: String, with rights: PageRights) -> AssistantRequest {
    var caller = AssistantCaller()
    (caller.context, caller.name, caller.rights) = ("page", page, rights)
    return asked(by: caller)
  }
}
