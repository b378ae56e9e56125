public import Cryptography

/// The lines that this node is on, private ones among them, as the user sets them.
extension LineDesk {
  /// Whether a line is heard.
  public mutating func setListening(_ isOn: Bool, to name: LineName) throws(LineError) {
    try change { own, _ throws(LineError) in try own.change(name) { $0.isListening = isOn } }
  }

  /// How loud a line is heard, −40 … 12 dB.
  public mutating func setLevel(_ decibels: Double, of name: LineName) throws(LineError) {
    guard LineLimits.levelDecibels.contains(decibels) else { throw .badLevel(decibels) }
    try change { own, _ throws(LineError) in try own.change(name) { $0.levelDecibels = decibels } }
  }

  /// What small displays show for a line, at most 8 characters; empty: the first of its name.
  public mutating func setDisplay(_ text: String, of name: LineName) throws(LineError) {
    let display = try Label.display(text)
    try change { own, _ throws(LineError) in try own.setDisplay(display, of: name) }
  }

  /// Makes a private line that nobody else is on yet.
  public mutating func makePrivateLine(
    _ name: LineName, _ id: PrivateLineID
  ) throws(LineError) {
    guard !allNames.contains(name) else { throw .lineExists(name) }
    try change { own, privates throws(LineError) in
      try own.joinPrivate(name)
      try privates.make(name, id)
    }
  }

  /// Is on a line of the group, or on a private one that somebody invited to.
  ///
  /// - Parameter isPrivate: the invitation is meant, though there is a line of that name, too.
  public mutating func join(_ name: LineName, isPrivate: Bool) throws(LineError) {
    let invitations = privates.invitations(to: name)
    guard let invitation = invitations.first else {
      guard !isPrivate else { throw .noInvitation(name) }
      return try joinLine(name)
    }
    guard isPrivate || !allNames.contains(name) else { throw .lineAndInvitation(name) }
    guard invitations.count == 1 else { throw .severalInvitations(name) }
    try change { own, privates throws(LineError) in
      try own.joinPrivate(invitation.name)
      try privates.accept(invitation)
    }
  }

  /// Adds a member to a private line, which it may join from then on, or removes it.
  public mutating func setMember(
    _ node: NodeID, isOn: Bool, ofPrivateLine name: LineName
  ) throws(LineError) {
    try change { _, privates throws(LineError) in try privates.set(node, isOn: isOn, to: name) }
  }
}
