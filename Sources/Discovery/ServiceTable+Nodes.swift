internal import Cryptography
internal import Mesh

extension ServiceTable {
  /// Whether there is room for a node, perhaps as another one is put out.
  mutating func makeRoom(for text: ServiceText, _ now: Int64) -> Bool {
    guard nodes[text.node] == nil, nodes.count >= limits.nodes else { return true }
    counters.crowdedNodes += 1
    browseLater(now)
    let lesser = nodes.first { !$0.value.sharesGroup }?.key
    guard let lesser, text.sharesGroup(with: groups) else { return false }
    for instance in nodes[lesser]?.instances ?? [] { remove(instance, now) }
    // One that waits to come back has no instances.
    lose(lesser)
    return true
  }

  /// Where a node has as many instances as may be, one of them goes: by chance,
  /// of those on the interface and protocol that most are on.
  ///
  /// Anybody can announce any node any number of times: so a true instance gets in beside those that are made up,
  /// whichever came first.
  mutating func makePlace(for instance: ServiceInstance, of id: NodeID, _ now: Int64) {
    guard let instances = nodes[id]?.instances, instances.count >= limits.instancesPerNode,
      !instances.contains(instance)
    else { return }
    counters.crowdedAddresses += 1
    browseLater(now)
    let crowds = instances.map { one in instances.filter { $0.sharesWay(with: one) } }
    let most = crowds.map(\.count).max()
    let crowded = crowds.first { $0.count == most }
    if let other = crowded?.randomElement(using: &chance) { remove(other, now) }
  }

  /// Adds an instance to the node its text names.
  mutating func attach(_ instance: ServiceInstance, to text: ServiceText) {
    let sharesGroup =
      nodes[text.node]?.text == text
      ? nodes[text.node]?.sharesGroup ?? false : text.sharesGroup(with: groups)
    var node = nodes[text.node] ?? Node(text: text, sharesGroup: sharesGroup)
    if !node.instances.contains(instance) { node.instances.append(instance) }
    node.text = text
    node.sharesGroup = sharesGroup
    node.lostNanoseconds = nil
    nodes[text.node] = node
  }

  /// Takes an instance from a node, which is lost with its last one.
  mutating func detach(_ instance: ServiceInstance, from id: NodeID, _ now: Int64) {
    guard let index = nodes[id]?.instances.firstIndex(of: instance) else { return }
    nodes[id]?.instances.remove(at: index)
    nodes[id]?.instances.isEmpty == true ? lose(id) : touch(id, now)
  }

  /// What is known of a node may have changed: it is told soon.
  mutating func touch(_ id: NodeID, _ now: Int64) {
    guard let node = nodes[id], node.dueNanoseconds == nil else { return }
    nodes[id]?.dueNanoseconds = now + Self.tellingDelayNanoseconds
  }

  /// Tells what has waited long enough, as far as that is not too often.
  mutating func tellChanges(_ now: Int64) {
    for id in Array(nodes.keys) {
      if let lost = nodes[id]?.lostNanoseconds {
        if lost <= now { lose(id) }
      } else if let due = nodes[id]?.dueNanoseconds, due <= now {
        tell(id, now)
      }
    }
  }

  private mutating func tell(_ id: NodeID, _ now: Int64) {
    guard let node = nodes[id] else { return }
    let told = Told(
      announcement: Announcement(
        node: id, addresses: addresses(of: node), sharesGroup: node.sharesGroup),
      name: node.text.name, softwareVersion: node.text.softwareVersion)
    guard told != node.told else {
      nodes[id]?.dueNanoseconds = nil
      return
    }
    guard events.take(nowNanoseconds: now) else {
      nodes[id]?.dueNanoseconds = now + events.periodNanoseconds
      return
    }
    nodes[id]?.dueNanoseconds = nil
    nodes[id]?.told = told
    actions.append(
      .tell(
        .found(told.announcement, name: told.name, softwareVersion: told.softwareVersion)))
  }

  private mutating func lose(_ id: NodeID) {
    guard let node = nodes.removeValue(forKey: id), node.told != nil else { return }
    actions.append(.tell(.lost(id)))
  }

  /// Nobody looks any more.
  mutating func loseAll() {
    for id in Array(nodes.keys) { lose(id) }
  }

  /// Each once, those for one link only last.
  private func addresses(of node: Node) -> [NodeAddress] {
    var addresses: [NodeAddress] = []
    for instance in node.instances {
      guard let address = entries[instance]?.found?.address, !addresses.contains(address) else {
        continue
      }
      addresses.append(address)
    }
    return addresses.filter { !$0.isLinkLocal } + addresses.filter(\.isLinkLocal)
  }
}

extension ServiceInstance {
  /// Whether both came by one interface and protocol, where a node has one instance.
  fileprivate func sharesWay(with other: ServiceInstance) -> Bool {
    interface == other.interface && isIPv6 == other.isIPv6
  }
}
