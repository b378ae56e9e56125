public import Cryptography
public import Mesh

/// Streams beside the one for all members: who hears them, and who has their keys.
extension Membership {
  /// Sends the microphone to one more audience: these nodes, while they are members.
  ///
  /// - Parameter audience: what it is called, for who hears it; with the source it tells streams apart.
  /// - Returns: the stream's number.
  /// - Throws: that there are as many streams as may be, or what the system refused.
  public func openStream(to audience: StreamAudience, listeners: Set<NodeID>) async throws -> Int {
    let key = try await media.openStream(to: audience, listeners: .nodes(listeners))
    handle(.share(key, with: .nodes(listeners)))
    return key.stream
  }

  /// Sends a stream to these nodes and to no other from now on; who is no longer among them does not get its next key.
  public func setListeners(_ nodes: Set<NodeID>, of stream: Int) async {
    guard stream != 0, let before = mesh.listeners(of: stream) else { return }
    await media.setListeners(.nodes(nodes), of: stream)
    guard mesh.listeners(of: stream) != nil, let key = await media.ownKey(of: stream) else {
      return
    }
    handle(.share(key, with: .nodes(nodes)))
    if case .nodes(let old) = before, !old.isSubset(of: nodes) { rollKeys([stream]) }
  }

  /// Ends a stream; the one for all members stays.
  public func closeStream(_ stream: Int) async {
    guard stream != 0 else { return }
    handle(.endStream(stream))
    await media.closeStream(stream)
  }
}
