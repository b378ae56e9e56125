internal import Cryptography
internal import Mesh

extension ServiceTable {
  /// An instance is seen.
  ///
  /// - Parameter isLocal: on this host, where a loopback address is good.
  mutating func appeared(
    _ instance: ServiceInstance, isLocal: Bool = false, nowNanoseconds now: Int64
  ) {
    guard entries[instance] == nil else { return }
    if entries.count >= limits.instances {
      browseLater(now)
      counters.crowdedInstances += 1
      guard let other = waiting.randomElement(using: &chance) else { return }
      remove(other, now)
    }
    entries[instance] = Entry(state: .waiting(dueNanoseconds: now), isLocal: isLocal)
    waiting.append(instance)
  }

  /// An instance is seen no more.
  mutating func disappeared(_ instance: ServiceInstance, nowNanoseconds now: Int64) {
    remove(instance, now)
  }

  /// An answer to ``Action/resolve(_:_:)``, the first or a later one.
  mutating func resolved(
    _ token: UInt32, _ resolution: ServiceResolution, nowNanoseconds now: Int64
  ) {
    guard let instance = watched[token], let entry = entries[instance] else { return }
    guard let text = text(of: resolution), text.node != own else { return remove(instance, now) }
    guard resolution.address.isUsable(isLocal: entry.isLocal) else {
      counters.unusableAddresses += 1
      return remove(instance, now)
    }
    if let found = entry.found, found.node != text.node { detach(instance, from: found.node, now) }
    guard makeRoom(for: text, now) else { return remove(instance, now) }
    makePlace(for: instance, of: text.node, now)
    attach(instance, to: text)
    if case .resolving = entry.state { resolvingCount -= 1 }
    entries[instance]?.state = .resolved(token)
    entries[instance]?.failures = 0
    entries[instance]?.found = (text.node, resolution.address)
    touch(text.node, now)
  }

  /// No answer to ``Action/resolve(_:_:)``, or none any more.
  mutating func failed(_ token: UInt32, nowNanoseconds now: Int64) {
    guard let instance = watched.removeValue(forKey: token), var entry = entries[instance] else {
      return
    }
    actions.append(.stopResolving(token))
    if case .resolving = entry.state { resolvingCount -= 1 }
    counters.unresolved += 1
    entry.failures += 1
    entry.state = .waiting(dueNanoseconds: now + entry.failures * Self.retryNanoseconds)
    entries[instance] = entry
    waiting.append(instance)
    if entry.failures >= limits.attempts {
      browseLater(now)
      remove(instance, now)
    }
  }

  /// Asks anew where a node is, which stays where it was until there is an answer.
  mutating func resolveAnew(_ node: NodeID, nowNanoseconds now: Int64) {
    for instance in nodes[node]?.instances ?? [] {
      guard case .resolved(let token)? = entries[instance]?.state else { continue }
      watched[token] = nil
      actions.append(.stopResolving(token))
      entries[instance]?.state = .waiting(dueNanoseconds: now)
      waiting.append(instance)
    }
  }

  /// Begins with as many of those waiting as may be.
  mutating func resolveSome(_ now: Int64) {
    guard !waiting.isEmpty else { return }
    var index = Int.random(in: 0..<waiting.count, using: &chance)
    var looked = 0
    while looked < waiting.count, resolvingCount < limits.resolving {
      index = index < waiting.count ? index : 0
      guard case .waiting(let due)? = entries[waiting[index]]?.state, due <= now else {
        index += 1
        looked += 1
        continue
      }
      guard resolutions.take(nowNanoseconds: now) else {
        return postponeWaiting(to: now + resolutions.periodNanoseconds, now)
      }
      resolve(waiting.remove(at: index))
    }
  }

  private mutating func resolve(_ instance: ServiceInstance) {
    let token = nextToken
    nextToken &+= 1
    entries[instance]?.state = .resolving(token)
    watched[token] = instance
    resolvingCount += 1
    counters.resolutions += 1
    actions.append(.resolve(token, instance))
  }

  /// So that ``nextDeadlineNanoseconds`` tells when one can be begun with.
  private mutating func postponeWaiting(to time: Int64, _ now: Int64) {
    for instance in waiting {
      guard case .waiting(let due)? = entries[instance]?.state, due < time else { continue }
      entries[instance]?.state = .waiting(dueNanoseconds: time)
    }
  }

  private mutating func text(of resolution: ServiceResolution) -> ServiceText? {
    guard !resolution.isTextOversized else {
      counters.oversizedTexts += 1
      return nil
    }
    do throws(ServiceText.Refusal) {
      return try ServiceText(parsing: resolution.text)
    } catch {
      switch error {
      case .oversized: counters.oversizedTexts += 1
      case .malformed, .version: counters.malformedTexts += 1
      case .nameless: counters.namelessTexts += 1
      }
      return nil
    }
  }

  mutating func browseLater(_ now: Int64) {
    if browseNanoseconds == nil { browseNanoseconds = now + Self.browsingNanoseconds }
  }

  /// Forgets an instance; with the last one its node is lost.
  mutating func remove(_ instance: ServiceInstance, _ now: Int64) {
    guard let entry = entries.removeValue(forKey: instance) else { return }
    switch entry.state {
    case .waiting:
      if let index = waiting.firstIndex(of: instance) { waiting.remove(at: index) }
    case .resolving(let token), .resolved(let token):
      if case .resolving = entry.state { resolvingCount -= 1 }
      watched[token] = nil
      actions.append(.stopResolving(token))
    }
    if let found = entry.found { detach(instance, from: found.node, now) }
  }
}
