internal import StatusSchema

extension PeerStatus {
  /// What a connected peer does besides talking, as the word that is shown in place of its state.
  enum Activity: String {
    /// It keeps what it hears in files.
    case recording = "RECORDING"
    /// It sends somebody's voice back in place of its own.
    case loopBack = "LOOP-BACK"
  }

  /// The one that others have to know of most.
  var activity: Activity? {
    guard state == .connected else { return nil }
    if isRecording == true { return .recording }
    return isLoopingBack == true ? .loopBack : nil
  }
}
