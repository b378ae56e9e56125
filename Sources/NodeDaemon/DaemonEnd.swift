internal import Intercom
internal import Logging
internal import Panel

/// The end of all that runs, in less than a second whatever a disk does.
///
/// The others and JACK are told first; what may take its time happens beside that.
struct DaemonEnd {
  /// What is waited for disks, all in all.
  private static let patience = Duration.milliseconds(800)

  let node: Intercom
  let connections: Connections
  let keepers: Keepers
  let recordings: Recordings
  let office: MessageOffice
  let assistant: AssistantOffice
  let captions: CaptionService
  let panel: Panel?
  let page: PageDesk

  /// Ends it; tells where a disk did not answer.
  func run(_ log: Logger) async {
    node.keepPorts()
    let deadline = Deadline(after: Self.patience)
    let (keepers, connections) = (keepers, connections)
    let (mix, names) = await (node.mix, node.names)
    async let mixed = deadline.wait { await keepers.mixes.stop(with: mix) }
    async let lined = deadline.wait { await keepers.lines.stop() }
    async let named = deadline.wait { await keepers.names.stop(with: names) }
    // Nothing to end, or a disk that does not answer: neither holds the end up.
    async let recorded: Void? = try? recordings.stop(within: Self.patience)
    async let kept = deadline.wait { await office.finish() }
    async let silenced = deadline.wait {
      await assistant.finish()
      await office.aloud.finish()
    }
    async let uncaptioned = deadline.wait { await captions.finish() }
    async let shut: Void? = panel?.stop()
    async let left: Void = page.stop()
    async let signed = deadline.wait { await keepers.pages.stop() }
    async let tokens = deadline.wait { await keepers.tokens.stop() }
    await connections.leave()
    async let trusted = deadline.wait { await connections.finishKeeping() }
    async let closed: Void = connections.close()
    await node.stop()
    let connected = await deadline.wait { await keepers.ports.stop() }
    _ = await (recorded, shut, left, closed)
    _ = await (silenced, uncaptioned)
    let outcomes = await [mixed, lined, named, signed, tokens, trusted, connected, kept]
    guard outcomes.contains(false) else { return }
    log.event(
      .stateHangs, "the disk of the state does not answer: what changed last is not kept")
  }
}
