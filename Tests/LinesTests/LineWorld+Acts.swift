import TestKit

@testable import Lines

/// What users, devices and the network do at random.
extension LineWorld {
  /// Private lines, four people on each, before anything else happens.
  func begin(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for (place, line) in LineModel.privateLines.enumerated() {
      let id = PrivateLineID(using: &random)
      act(place, "makes \(line)") { desk throws(LineError) in
        try desk.makePrivateLine(LineModel.lines[line], id)
      }
      model.join(line, place)
      run(milliseconds: 100)
      for other in 2..<6 { invite(other, line, by: place) }
    }
    run(milliseconds: 1200)
    for line in LineModel.privateLines { for other in 2..<6 { accept(other, line) } }
    for (place, line) in LineModel.publicLines.enumerated() { makeOrJoin(place % count, line) }
    for node in 0..<count { settle(node) }
    rosterNanoseconds = now
    run(milliseconds: 1200)
  }

  /// Does it, where the model says that it can be done; a refusal is a failure.
  private func act(
    _ node: Int, _ text: String, _ body: (inout LineDesk) throws(LineError) -> Void
  ) {
    events.append("\(now / LineNetwork.millisecond) \(node) \(text)")
    if let error = network.attempt(node, body) { fail("\(node) \(text): \(error)") }
  }

  private func invite(_ other: Int, _ line: Int, by node: Int) {
    act(node, "invites \(other) to \(line)") { desk throws(LineError) in
      try desk.setMember(network.ids[other], isOn: true, ofPrivateLine: LineModel.lines[line])
    }
    invited[line - LineModel.privateLines.lowerBound].insert(other)
  }

  private func accept(_ node: Int, _ line: Int) {
    act(node, "accepts \(line)") { desk throws(LineError) in
      try desk.join(LineModel.lines[line], isPrivate: true)
    }
    invited[line - LineModel.privateLines.lowerBound].remove(node)
    model.join(line, node)
  }

  /// One act, of a node that runs.
  func act() {
    let node = draw(0..<count)
    guard model.nodes[node].isAlive, failure == nil else { return }
    switch draw(0..<40) {
    case 0..<4: makeOrJoin(node, draw(LineModel.publicLines))
    case 4: leave(node)
    case 5: listen(node)
    case 6..<11: setKey(node)
    case 11: removeKey(node)
    case 12..<19: press(node, by: .command)
    case 19..<22: press(node, by: LineModel.pedal)
    case 22..<26: release(node)
    case 26: talk(node)
    case 27: killLatches(node)
    case 28..<31: call(node)
    case 31..<34: pressReply(node)
    case 34: clear(node)
    case 35..<37: changeRoster(node)
    case 37: kill(node)
    case 38: split()
    default: hold(node)
    }
    settle(node)
  }

  private func makeOrJoin(_ node: Int, _ line: Int) {
    guard model.nodes[node].lines[line] == nil else { return }
    let settled = 6 * Self.second / 10
    let (width, name) = (LineModel.lines.count, LineModel.lines[line])
    let others = (0..<count).filter { $0 != node }
    let isThere = others.contains { other in
      isLinked(node, other) && linkAge(node, other) >= settled
        && model.nodes[other].lines[line] != nil
        && now - lineNanoseconds[other * width + line] >= settled
    }
    let isNowhere = others.allSatisfy { other in
      model.nodes[other].lines[line] == nil
        && now - lineNanoseconds[other * width + line] >= settled
        || !isLinked(node, other)
          && linkAge(node, other) >= settled
    }
    guard isThere || isNowhere || now == 0 else { return }
    act(node, "\(isThere ? "joins" : "makes") \(line)") { desk throws(LineError) in
      if isThere { try desk.joinLine(name) } else { try desk.makeLine(name) }
    }
    model.join(line, node)
    lineNanoseconds[node * width + line] = now
    // Whoever calls that line calls this node from now on.
    if callers[node].contains(where: { $0.key.line == line && $0.value > now }) {
      noteCall(node, nil)
    }
  }

  private func leave(_ node: Int) {
    let line = draw(LineModel.publicLines)
    guard model.nodes[node].lines[line] != nil else { return }
    act(node, "leaves \(line)") { desk throws(LineError) in
      try desk.leaveLine(LineModel.lines[line])
    }
    for other in 0..<count where model.nodes[other].repliesTo?.line == line {
      replyNanoseconds[other] = now + 6 * Self.second / 10
      if other != node { doubt(other, until: now + LineNetwork.settlingNanoseconds) }
    }
    model.leave(line, node)
    lineNanoseconds[node * LineModel.lines.count + line] = now
    for other in 0..<count {
      noteCall(other, nil)
      if other != node { follow(other) }
    }
  }

  private func listen(_ node: Int) {
    let (line, isOn) = (draw(0..<LineModel.lines.count), draw(0..<2) == 0)
    guard model.nodes[node].lines[line] != nil else { return }
    act(node, "listens to \(line): \(isOn)") { desk throws(LineError) in
      try desk.setListening(isOn, to: LineModel.lines[line])
    }
    model.listen(isOn, to: line, node)
  }

  // MARK: Keys

  private func target(_ node: Int) -> LineModel.Target {
    switch draw(0..<10) {
    case 0..<4: .line(draw(0..<LineModel.lines.count))
    case 4, 5: .member((node + (draw(0..<2) == 0 ? 1 : 5)) % count)
    case 6: LineModel.isCrew(node) ? .crew : .line(0)
    case 7: .reply
    case 8: .announcement
    default: .allLines
    }
  }

  private func written(_ target: LineModel.Target) -> KeyTarget? {
    switch target {
    case .line(let line): .line(LineModel.lines[line])
    case .member(let member): .member(MemberName(network.ids[member]))
    case .crew: Self.crew.map(KeyTarget.group)
    case .reply: .reply
    case .announcement: .announcement
    case .allLines: .allLines
    }
  }

  private func keyName() -> KeyName {
    let number = draw(0..<8)
    return number < 5 ? LineTests.name("key \(number)") : LineModel.lines[draw(0..<9)]
  }

  /// Whether what a reply key does now is beyond doubt.
  private func canTouchReplies(_ node: Int) -> Bool { replyNanoseconds[node] <= now }

  private func setKey(_ node: Int) {
    guard canTouchReplies(node) else { return }
    let name = keyName()
    var key = LineModel.Key(targets: [target(node)])
    let other = target(node)
    if draw(0..<3) == 0, !key.targets.contains(other) { key.targets.append(other) }
    key.activation = KeyActivation.allCases[draw(0..<KeyActivation.allCases.count)]
    // Who always talks to whoever calls is answered by no press.
    if key.isReply, key.activation == .forceTalkForceListen { key.activation = .talk }
    if key.targets.contains(.announcement), key.activation == .forceTalkForceListen {
      key.activation = .dual
    }
    key.latchMilliseconds = [0, 200, 200, 1000][draw(0..<4)]
    if draw(0..<3) == 0 { key.interlock = draw(1..<3) }
    key.listensWhileTalking = draw(0..<5) == 0
    key.mutesWhileTalking = draw(0..<8) == 0
    key.isolates = draw(0..<8) == 0
    let targets = key.targets.compactMap(written)
    act(node, "sets \(name) \(key)") { [key] desk throws(LineError) in
      var written = try Key(
        name, targets: targets, activation: key.activation,
        latchMilliseconds: key.latchMilliseconds, interlock: key.interlock)
      written.listensWhileTalking = key.listensWhileTalking
      written.mutesWhileTalking = key.mutesWhileTalking
      written.isolates = key.isolates
      try desk.setKey(written)
    }
    model.set(name, key, of: node)
  }

  private func removeKey(_ node: Int) {
    let name = keyName()
    guard model.nodes[node].keys[name] != nil, canTouchReplies(node) else { return }
    act(node, "removes \(name)") { desk throws(LineError) in try desk.removeKey(name) }
    model.set(name, nil, of: node)
  }

  private func press(_ node: Int, by holder: KeyHolder) {
    let keys = model.keys(of: node).filter { !$0.value.isReply }.keys.sorted()
    // All may be for replies.
    guard !keys.isEmpty else { return }
    let (name, now) = (keys[draw(0..<keys.count)], now)
    act(node, "presses \(name) by \(holder)") { desk throws(LineError) in
      try desk.press(name, by: holder, nowNanoseconds: now)
    }
    model.press(name, by: holder, node, at: now)
    guard draw(0..<2) == 0 else { return }
    release(name, by: holder, node)
  }

  private func release(_ name: KeyName, by holder: KeyHolder, _ node: Int) {
    let now = now
    act(node, "releases \(name) by \(holder)") { desk throws(LineError) in
      try desk.release(name, by: holder, nowNanoseconds: now)
    }
    model.release(name, by: holder, node, at: now)
  }

  private func release(_ node: Int) {
    let held = model.nodes[node].fingers.filter { !$0.value.holders.isEmpty && $0.key != .reply }
    let names = held.keys.sorted()
    guard !names.isEmpty else { return }
    let name = names[draw(0..<names.count)]
    guard model.keys(of: node)[name]?.isReply == false || canTouchReplies(node) else { return }
    let holder = held[name]?.holders.contains(.command) == true ? .command : LineModel.pedal
    release(name, by: holder, node)
  }

  private func hold(_ node: Int) {
    let now = now
    act(node, "holds") { desk throws(LineError) in
      try desk.renew(LineTests.name("pedal"), nowNanoseconds: now)
    }
    model.hold(node, at: now)
  }

  private func talk(_ node: Int) {
    guard let key = model.allKey(of: node), key.talks else { return }
    let isOn = draw(0..<2) == 0
    act(node, "talk \(isOn)") { desk throws(LineError) in try desk.setTalk(isOn) }
    model.setTalk(isOn, node)
  }

  private func killLatches(_ node: Int) {
    guard canTouchReplies(node) else { return }
    act(node, "mic-kill") { desk throws(LineError) in _ = desk.releaseLatches() }
    model.releaseLatches(node)
  }

  // MARK: Calls

  private func call(_ node: Int) {
    let now = now
    let joined = model.nodes[node].lines.keys.sorted()
    let line = draw(0..<3) == 0 ? joined[draw(0..<joined.count)] : nil
    let other = draw(0..<count)
    guard
      line != nil
        || other != node && isLinked(node, other)
          && linkAge(node, other) > Self.second
    else { return }
    let target = line.map { CallTarget.line(LineModel.lines[$0]) } ?? .member(network.ids[other])
    let caller = LineModel.Caller(node: node, line: line)
    let holder = draw(0..<3) == 0 ? LineTests.name("pedal") : nil
    act(node, "calls \(line.map { "line \($0)" } ?? "\(other)")") { desk throws(LineError) in
      desk.endCall(target)
      try desk.call(target, holder: holder, nowNanoseconds: now)
    }
    for far in 0..<count where far != node && (line != nil || far == other) {
      callers[far][caller] = now + 63 * Self.second
      noteCall(far, line == nil ? caller : nil)
    }
  }

  private func pressReply(_ node: Int) {
    guard canTouchReplies(node) else { return }
    let keys = model.keys(of: node).filter(\.value.isReply).keys.sorted()
    let (name, now) = (keys[draw(0..<keys.count)], now)
    events.append("\(now / LineNetwork.millisecond) \(node) replies by \(name)")
    _ = network.attempt(node) { desk throws(LineError) in
      try desk.release(name, nowNanoseconds: now)
    }
    model.release(name, by: .command, node, at: now)
    settle(node)
    let error = network.attempt(node) { desk throws(LineError) in
      try desk.press(name, nowNanoseconds: now)
    }
    if let error {
      if error != .nobodyCalled || sureCaller(node) != nil {
        fail("\(node) cannot reply: \(error)")
      }
      return
    }
    model.press(name, by: .command, node, at: now)
    settle(node)
    guard draw(0..<2) == 0, canTouchReplies(node), model.nodes[node].repliesTo != nil else {
      return
    }
    release(name, by: .command, node)
  }

  private func clear(_ node: Int) {
    guard canTouchReplies(node) else { return }
    let (other, now) = (draw(0..<count), now)
    let caller = model.nodes[node].repliesTo
    if let caller, draw(0..<2) == 0 {
      act(node, "ends the reply to \(caller)") { desk throws(LineError) in
        try desk.replyThenClear(nowNanoseconds: now)
      }
      model.endReply(node)
    } else {
      act(node, "clears \(other)") { desk throws(LineError) in
        desk.clearCalls(of: [network.ids[other]], nowNanoseconds: now)
      }
      if caller?.node == other { model.endReply(node) }
    }
    noteCall(node, nil)
  }

  // MARK: Private lines, kills, splits

  /// Only where nothing is cut, nor was: what becomes of the words of two halves is tested elsewhere.
  private func changeRoster(_ node: Int) {
    guard isCalm, now - rosterNanoseconds > 11 * Self.second / 10 else { return }
    let line = draw(LineModel.privateLines)
    let place = line - LineModel.privateLines.lowerBound
    let isOn = model.nodes[node].lines[line] != nil
    if invited[place].contains(node) {
      accept(node, line)
    } else if isOn, place != node, draw(0..<2) == 0 {
      act(node, "leaves \(line)") { desk throws(LineError) in
        try desk.leaveLine(LineModel.lines[line])
      }
      out(node, line)
    } else if isOn {
      let other = draw(0..<count)
      if model.nodes[other].lines[line] == nil, !invited[place].contains(other) {
        invite(other, line, by: node)
      } else if other != place, other != node, model.nodes[other].lines[line] != nil {
        act(node, "removes \(other) from \(line)") { desk throws(LineError) in
          try desk.setMember(network.ids[other], isOn: false, ofPrivateLine: LineModel.lines[line])
        }
        out(other, line)
      }
    } else {
      return
    }
    rosterNanoseconds = now
  }

  private func out(_ node: Int, _ line: Int) {
    for other in 0..<count {
      if model.nodes[other].repliesTo?.line == line || other == node {
        replyNanoseconds[other] = now + 6 * Self.second / 10
        doubt(other, until: now + LineNetwork.settlingNanoseconds)
      }
      noteCall(other, nil)
    }
    model.leave(line, node)
    for other in 0..<count { follow(other) }
  }

  private func kill(_ node: Int) {
    guard now - rosterNanoseconds > 11 * Self.second / 10 else { return }
    events.append("\(now / LineNetwork.millisecond) \(node) is killed")
    let isTalking = model.kill(node)
    for other in 0..<count where other != node { cut(node, other) }
    network.kill(node)
    revivals.append((node, isTalking, now + Int64(draw(100..<2000)) * LineNetwork.millisecond))
  }

  private func split() {
    guard now - rosterNanoseconds > 11 * Self.second / 10 else { return }
    let isSplit = sides.contains { $0 != 0 }
    events.append("\(now / LineNetwork.millisecond) \(isSplit ? "heal" : "split")")
    if isSplit {
      sides = sides.map { _ in 0 }
      for node in 0..<count where model.nodes[node].isAlive { heal(node) }
    } else {
      let alone = draw(0..<count)
      let parts = draw(0..<3)
      sides = (0..<count).map { parts == 0 ? ($0 == alone ? 1 : 0) : draw(0..<(parts + 1)) }
      for one in 0..<count {
        for other in 0..<one where sides[one] != sides[other] { cut(one, other) }
      }
    }
  }
}
