/// Voice still goes out unencrypted, so it stays on this machine unless the user insists.
enum LoopbackRule {
  /// Why an address beyond this machine is refused, and what to do; ends a sentence.
  ///
  /// Also for names, once they are looked up.
  static func refusal(of text: String) -> String {
    """
    is \(text), which is beyond this machine: voice is not encrypted yet, so everybody on the way \
    could listen in and speak up. Use a loopback address (127.0.0.1, [::1]), or --insecure to \
    send and receive readable voice all the same
    """
  }

  /// What the log says when the user insisted.
  static let warning = """
    --insecure: voice is sent and received unencrypted; everybody on the network can listen in and \
    speak up
    """

  /// Refuses what is numerically beyond this machine; names have to wait for their look-up.
  static func check(_ configuration: Configuration) throws(SettingConflict) {
    let listensHere = configuration.listen.reach == .loopback
    if !configuration.isInsecure, configuration.listen.reach == .beyond {
      throw SettingConflict(.listen, refusal(of: configuration.listen.text))
    }
    for peer in configuration.peers where peer.reach == .beyond {
      guard configuration.isInsecure else {
        throw SettingConflict(.peer, refusal(of: peer.text))
      }
      guard !listensHere else {
        throw SettingConflict(
          .peer,
          """
          is \(peer.text), which cannot be reached from the loopback address \
          \(configuration.listen.text); add --listen 0.0.0.0:\(configuration.listen.port)
          """)
      }
    }
  }
}
