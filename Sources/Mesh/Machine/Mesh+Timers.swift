/// What is due.
extension Mesh {
  /// Does all that is due, and finds the next deadline.
  func runTimers(_ now: Int64) {
    nextDeadlineNanoseconds = .max
    for link in links.values { check(link, now) }
    for peer in peers.values {
      checkMembership(peer, now)
      checkDialling(peer, now)
    }
    if now >= rollNanoseconds {
      rollNanoseconds = .max
      actions.append(.rollKey)
    }
    if now >= nextRoundNanoseconds { beat(now) }
    if now >= newsNanoseconds { tellNews(now) }
    if now >= searchNanoseconds { search(now) }
    let rounds = min(nextRoundNanoseconds, newsNanoseconds, searchNanoseconds)
    wake(atNanoseconds: min(rollNanoseconds, rounds))
  }

  private func check(_ link: Link, _ now: Int64) {
    guard !link.isOver else { return }
    guard now >= link.deadlineNanoseconds else {
      return wake(atNanoseconds: link.deadlineNanoseconds)
    }
    if link.invitationNanoseconds != nil {
      refuse(link, words: "nobody answered", now)
    } else {
      close(link, .late, now)
    }
  }

  private func checkMembership(_ peer: Peer, _ now: Int64) {
    guard let member = peer.member else { return }
    let sign = peer.signNanoseconds
    let silent = sign.saturatingAdding(MeshTimes.silentNanoseconds)
    guard now < silent else {
      if let link = peer.link { return close(link, .silent, as: .silent, now) }
      depart(peer, .silent, now)
      return planDial(peer, now)
    }
    wake(atNanoseconds: silent)
    let listening = sign.saturatingAdding(MeshTimes.listenNanoseconds)
    if now < listening {
      wake(atNanoseconds: listening)
    } else if peer.listenedNanoseconds != sign {
      peer.listenedNanoseconds = sign
      actions.append(.listen(member.node))
    }
    if let link = peer.link, link.stableNanoseconds != .max {
      if now >= link.stableNanoseconds {
        link.stableNanoseconds = .max
        peer.failureCount = 0
      } else {
        wake(atNanoseconds: link.stableNanoseconds)
      }
    }
  }

  private func checkDialling(_ peer: Peer, _ now: Int64) {
    guard !peer.isForgotten else { return }
    if let attempt = peer.attempt {
      check(attempt, of: peer, now)
    } else if now >= peer.nextDialNanoseconds {
      beginAttempt(peer, now)
    } else if peer.isHearsay {
      let forgotten = peer.mentionedNanoseconds.saturatingAdding(MeshTimes.hearsayNanoseconds)
      guard now < forgotten else { return remove(peer) }
      wake(atNanoseconds: min(peer.nextDialNanoseconds, forgotten))
    } else {
      wake(atNanoseconds: peer.nextDialNanoseconds)
    }
  }

  private func check(_ attempt: Attempt, of peer: Peer, _ now: Int64) {
    if now >= attempt.watchdogNanoseconds {
      if let connection = attempt.connection, let link = links[connection] {
        return close(link, .late, now)
      }
      return attemptFailed(peer, now)
    }
    if attempt.connection == nil {
      if now >= attempt.deadlineNanoseconds {
        abandonDials(of: peer)
        return dialNext(peer, now)
      }
      if now >= attempt.nextAddressNanoseconds { dialNext(peer, now) }
    }
    guard let attempt = peer.attempt else { return }
    wake(
      atNanoseconds: min(
        attempt.watchdogNanoseconds, attempt.deadlineNanoseconds,
        attempt.nextAddressNanoseconds))
  }
}
