import Media

/// A connected peer as the sound that goes out sees it.
struct Listener {
  let peer: Peer
  /// Which of the station's recipes its packets are made by.
  var recipeIndex: Int
}
