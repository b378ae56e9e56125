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
    let key = try await media.openStream(
      of: 0, to: audience, listeners: .nodes(listeners))
    handle(.share(key, with: .nodes(listeners)))
    return key.stream
  }

  /// Sends a further input to all members, present and future.
  ///
  /// - Parameter source: its number, from 1 on.
  /// - Returns: the stream's number.
  /// - Throws: that there are as many streams as may be, or what the system refused.
  @discardableResult
  public func openStream(ofSource source: Int) async throws -> Int {
    let key = try await media.openStream(of: source, to: .everyone, listeners: .everyone)
    handle(.share(key, with: .everyone))
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

  /// Gives the key of a stream that has been opened to all members, present and future.
  public func share(_ key: MediaKey) { handle(.share(key, with: .everyone)) }

  /// Tells members that a stream is over.
  public func endSharing(of stream: Int) {
    if stream != 0 { handle(.endStream(stream)) }
  }

  /// Ends a stream; the one for all members stays.
  public func closeStream(_ stream: Int) async {
    guard stream != 0 else { return }
    handle(.endStream(stream))
    await media.closeStream(stream)
  }
}
