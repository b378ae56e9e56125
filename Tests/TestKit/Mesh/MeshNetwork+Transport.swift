import Mesh

/// What the nodes want done.
extension MeshNetwork {
  func perform(_ action: MeshAction, of index: Int) {
    let node = nodes[index]
    switch action {
    case .send(let message, let connection): return send(message, connection)
    case .dial(let attempt, let address): dial(attempt, address, index)
    case .abandon(let attempt):
      dials.removeValue(forKey: AttemptKey(node: index, attempt: attempt))?.isOver = true
    case .close(let connection, _): close(connection)
    case .resolve(let target): resolve(target, for: index)
    case .knock(_, let addresses): knock(addresses, from: index)
    case .admitted(let member):
      if node.members.insert(member.node).inserted { pairCount += 1 }
    case .departed(let id, _):
      if node.members.remove(id) != nil { pairCount -= 1 }
    case .store: if let mesh = node.mesh { node.memory = mesh.memory }
    default: break
    }
    observer?(index, action)
  }

  /// Whether packets of a conversation pass between two nodes.
  func isPath(_ one: Int, _ other: Int) -> Bool { islands[one] == islands[other] }

  private func dial(_ attempt: AttemptID, _ address: NodeAddress, _ index: Int) {
    let dial = MeshDial(
      attempt: attempt, from: index, instance: nodes[index].instance, to: indexByAddress[address])
    dials[AttemptKey(node: index, attempt: attempt)] = dial
    for seconds: Int64 in [0, 1, 3] {
      schedule(.connecting(dial), inNanoseconds: seconds * 1_000_000_000 + delay())
    }
  }

  func connect(_ dial: MeshDial) {
    guard isCurrent(dial), let to = dial.to, !random.chance(model.loss) else { return }
    guard isPath(dial.from, to), !oneWay.contains([dial.from, to]) else {
      if model.refuses { schedule(.refused(dial), inNanoseconds: delay()) }
      return
    }
    if nodes[to].mesh == nil {
      if !nodes[to].isSilent { schedule(.refused(dial), inNanoseconds: delay()) }
    } else {
      // The rest of TCP's handshake and TLS: two round trips.
      schedule(.established(dial), inNanoseconds: delay() + delay() + delay())
    }
  }

  func isCurrent(_ dial: MeshDial) -> Bool {
    !dial.isOver && nodes[dial.from].mesh != nil && nodes[dial.from].instance == dial.instance
  }

  func refuse(_ dial: MeshDial) {
    guard isCurrent(dial) else { return }
    end(dial)
    give(.failed(dial.attempt), to: dial.from)
  }

  private func end(_ dial: MeshDial) {
    dial.isOver = true
    dials[AttemptKey(node: dial.from, attempt: dial.attempt)] = nil
  }

  func establish(_ dial: MeshDial) {
    guard isCurrent(dial), let to = dial.to, isPath(dial.from, to), nodes[to].mesh != nil else {
      return
    }
    end(dial)
    wireCount += 1
    let wire = MeshWire(
      number: wireCount,
      dialler: MeshWire.End(
        node: dial.from, instance: dial.instance, provedGroup: nodes[to].group),
      acceptor: MeshWire.End(
        node: to, instance: nodes[to].instance, provedGroup: nodes[dial.from].group))
    wires[wire.number] = wire
    let delay = delay()
    wire.ends[0].arrivalNanoseconds = nowNanoseconds + delay
    schedule(.opened(dial, wire), inNanoseconds: delay)
    give(.accepted(opened(wire, end: 1)), to: to)
  }

  func finish(_ dial: MeshDial, _ wire: MeshWire) {
    guard nodes[dial.from].mesh != nil, nodes[dial.from].instance == dial.instance else { return }
    give(.dialled(dial.attempt, opened(wire, end: 0)), to: dial.from)
  }

  private func opened(_ wire: MeshWire, end: Int) -> OpenedConnection {
    let (own, other) = (nodes[wire.ends[end].node], nodes[wire.ends[1 - end].node])
    return OpenedConnection(
      connection: wire.connection(ofEnd: end), node: other.id,
      provesGroup: own.group == wire.ends[end].provedGroup,
      remote: NodeAddress(other.address.host, port: 40_000))
  }

  func send(_ message: Message, _ connection: ConnectionID) {
    guard let wire = wires[connection.rawValue / 2] else { return }
    let end = Int(connection.rawValue % 2)
    guard wire.ends[end].isOpen else { return }
    if model.isCounted { count(message, on: wire, fromEnd: end) }
    put(.message(message), on: wire, toEnd: 1 - end)
  }

  private func count(_ message: Message, on wire: MeshWire, fromEnd end: Int) {
    let (sender, reader) = (nodes[wire.ends[end].node], nodes[wire.ends[1 - end].node])
    let bytes = message.frame().count
    sender.sent.addMessage(frameBytes: bytes)
    reader.received.addMessage(frameBytes: bytes)
    if wire.ends[end].acknowledging.send(nowNanoseconds) {
      sender.sent.removeAcknowledgement()
      reader.received.removeAcknowledgement()
    }
  }

  private func countAcknowledgement(on wire: MeshWire, ofEnd end: Int) {
    wire.ends[end].acknowledging.receive(nowNanoseconds)
    nodes[wire.ends[end].node].sent.addAcknowledgement()
    nodes[wire.ends[1 - end].node].received.addAcknowledgement()
  }

  func close(_ connection: ConnectionID) {
    guard let wire = wires[connection.rawValue / 2] else { return }
    let end = Int(connection.rawValue % 2)
    guard wire.ends[end].isOpen else { return }
    wire.ends[end].isOpen = false
    put(.closed, on: wire, toEnd: 1 - end)
  }

  /// Sends, or keeps for later what finds no path.
  func put(_ item: MeshWire.Item, on wire: MeshWire, toEnd end: Int) {
    guard !wire.isUprooted else { return }
    guard isPath(wire.ends[0].node, wire.ends[1].node) else {
      wire.ends[end].pending.append(item)
      return
    }
    let repetition: Int64 =
      random.chance(model.loss) ? Int64.random(in: 200_000_000...600_000_000, using: &random) : 0
    let arrival = max(
      nowNanoseconds + delay() + repetition, wire.ends[end].arrivalNanoseconds)
    wire.ends[end].arrivalNanoseconds = arrival
    queue.push(Step(.arrives(wire, end: end, item)), atNanoseconds: arrival)
  }

  func arrive(_ item: MeshWire.Item, on wire: MeshWire, _ end: Int) {
    guard !wire.isUprooted else { return }
    let to = wire.ends[end]
    guard isPath(wire.ends[0].node, wire.ends[1].node) else {
      wire.ends[end].pending.append(item)
      return
    }
    if !wire.ends[0].isOpen, !wire.ends[1].isOpen { wires[wire.number] = nil }
    guard to.isOpen else { return }
    let node = nodes[to.node]
    guard node.mesh != nil, node.instance == to.instance else {
      // The machine is up again and knows nothing of this connection.
      if node.mesh != nil {
        wire.ends[end].isOpen = false
        put(.closed, on: wire, toEnd: 1 - end)
      }
      return
    }
    switch item {
    case .closed:
      wire.ends[end].isOpen = false
      if !wire.ends[1 - end].isOpen { wires[wire.number] = nil }
      give(.closed(wire.connection(ofEnd: end)), to: to.node)
    case .message(let message):
      if model.isCounted { countAcknowledgement(on: wire, ofEnd: end) }
      hand(message, on: wire, end)
    case .proof(let group):
      wire.ends[end].provedGroup = group
      give(.groupsChanged(proving(of: to.node)), to: to.node)
    }
  }

  private func hand(_ message: Message, on wire: MeshWire, _ end: Int) {
    let connection = wire.connection(ofEnd: end)
    guard model.isEncoded else {
      return give(.received(message, connection), to: wire.ends[end].node)
    }
    var received: [Message] = []
    do {
      try wire.ends[end].decoder.receive(message.frame(), nowNanoseconds: nowNanoseconds) {
        received.append($0)
        return true
      }
    } catch {
      preconditionFailure("seed \(seed): \(error)")
    }
    for message in received { give(.received(message, connection), to: wire.ends[end].node) }
  }

  private func knock(_ addresses: [NodeAddress], from index: Int) {
    for to in Set(addresses.compactMap { indexByAddress[$0] }).sorted() {
      // What answers something passes a firewall for 30 s.
      let heard = knockNanoseconds[[to, index]] ?? .min / 2
      let isAnswer = nowNanoseconds - heard < 30_000_000_000
      guard isPath(index, to), isAnswer || !oneWay.contains([index, to]), nodes[to].mesh != nil,
        !random.chance(model.loss)
      else { continue }
      knockNanoseconds[[index, to]] = nowNanoseconds
      schedule(.knocked(node: to, from: index), inNanoseconds: delay())
    }
  }

  private func resolve(_ target: PeerTarget, for index: Int) {
    var found: [NodeAddress] = []
    switch target {
    case .named(let to): if nodes.indices.contains(to) { found = [nodes[to].address] }
    case .node(let id):
      let to = nodes.firstIndex { $0.id == id }
      if let to, isPath(index, to), random.chance(model.multicast) { found = [nodes[to].address] }
    }
    schedule(.resolved(node: index, target, found), inNanoseconds: 5_000_000 + delay())
  }
}
