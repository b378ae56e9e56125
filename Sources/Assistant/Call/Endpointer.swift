/// Tells when somebody begins and ends to say something, of what a detector hears each 10 ms.
///
/// A voice begins with the first 10 ms of it, and ends once the detector heard none for ``quietMilliseconds``: people
/// pause within a sentence.
public struct Endpointer: Sendable {
  /// Usual pauses within a sentence are shorter.
  public static let quietMilliseconds = 500

  private var quiet = 0
  /// Whether somebody says something.
  public private(set) var isSpeaking = false

  /// Hears nobody yet.
  public init() {}

  /// Takes what the detector decided for so many milliseconds.
  ///
  /// - Returns: whether that changed ``isSpeaking``.
  public mutating func take(_ isSpeech: Bool, milliseconds: Int) -> Bool {
    let before = isSpeaking
    if isSpeech {
      (isSpeaking, quiet) = (true, 0)
    } else if isSpeaking {
      quiet += milliseconds
      if quiet >= Self.quietMilliseconds { isSpeaking = false }
    }
    return isSpeaking != before
  }

  /// Forgets what it heard: what comes now is another matter.
  public mutating func reset() { self = Endpointer() }
}
