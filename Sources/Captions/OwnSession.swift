/// What a captioner knows of its session beside the text: where each chunk is heard.
struct OwnSession {
  let number: UInt64
  let beganNanoseconds: Int64
  var isLive = true
  private var places: [Set<CaptionPlace>] = []

  init(number: UInt64, beganNanoseconds: Int64) {
    (self.number, self.beganNanoseconds) = (number, beganNanoseconds)
  }

  /// Adds a chunk; nil: there are as many as there may be.
  mutating func add(_ places: Set<CaptionPlace>) -> UInt32? {
    guard self.places.count < CaptionLimits.chunks else { return nil }
    self.places.append(places)
    return UInt32(self.places.count - 1)
  }

  /// Where a chunk is heard.
  func places(of index: UInt32) -> Set<CaptionPlace> {
    Int(index) < places.count ? places[Int(index)] : []
  }
}
