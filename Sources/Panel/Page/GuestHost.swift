/// Where the page's guests get their places.
public protocol GuestHost: Sendable {
  /// Lets a browser be a guest.
  ///
  /// - Parameter deliver: takes each message for the browser; any thread, does not wait.
  func admit(
    _ guest: GuestApplication, deliver: @escaping @Sendable ([UInt8]) -> Void
  ) async throws(GuestRefusal) -> any GuestPlace
}

/// A guest's place at the node; any thread.
public protocol GuestPlace: Sendable {
  /// Takes a frame of the browser, in any number of copies; its octets may be anything. Does not wait.
  func take(_ octets: [UInt8])
  /// The guest talks on these keys from now on, and on no others. Does not wait.
  func talk(on keys: [String])
  /// The guest is gone.
  func leave() async
}

/// Who wants to be a guest.
public struct GuestApplication: Sendable {
  /// What the phone is called.
  public var name: String
  /// The page's session that it is of.
  public var session: String
  /// Which page of that: the name that it gave itself, and told nobody else.
  public var page: String
  /// What it can hear.
  public var hears: GuestHearing

  /// Somebody who asks.
  public init(name: String, session: String, page: String, hears: GuestHearing) {
    (self.name, self.session, self.page, self.hears) = (name, session, page, hears)
  }
}

/// How a guest's mix is coded for it.
public enum GuestHearing: String, Sendable, Decodable {
  /// Opus, where the browser has it.
  case opus
  /// 16-bit samples.
  case pcm
}

/// Why somebody cannot be a guest, in words.
public struct GuestRefusal: Error, Sendable {
  /// What is wrong, and what to do.
  public var words: String

  /// A refusal in these words.
  public init(_ words: String) { self.words = words }
}
