internal import CAEC3

/// WebRTC's echo canceller, loaded where the package comlink-aec3 is installed.
@safe public struct AEC3Library: @unchecked Sendable {
  // Never freed, and not changed once it is loaded.
  fileprivate let handle: OpaquePointer

  /// Names a folder that is looked at before ``folders``.
  public static let variable = "COMLINK_AEC3"
  static let file = "comlink-aec3.so"

  /// Where it is looked for; the first that has it wins.
  public static var folders: [String] { LibraryFolders.all(variable) }

  /// A library, or why there is none.
  typealias Installed = Result<AEC3Library, MissingLibrary>

  /// The one that is installed, looked for once.
  static let installed: Installed = Result { () throws(MissingLibrary) in
    try AEC3Library()
  }

  /// Loads it for good; it may take a few milliseconds.
  public init(folders: [String] = Self.folders) throws(MissingLibrary) {
    unsafe handle = try unsafe MissingLibrary.first(of: folders) { folder, words, count in
      unsafe caec3_open("\(folder)/\(Self.file)", words, count)
    } orThrow: { reason in
      let lack = "installed (no \(Self.file) in \(folders.joined(separator: ", ")))"
      let state = reason.isEmpty ? lack : "usable (\(reason))"
      return "AEC3 is not \(state); install the package comlink-aec3, or take echo on"
    }
  }
}

/// AEC3: blocks of 10 ms at any rate of which these are whole frames.
///
/// It finds the echo's delay itself, and what has become of the room.
@safe final class WebRTCEcho: EchoEngine {
  private enum Shape {
    /// Its filter is right about the echo where it says that it lowers it by so much, dB: 5 and 6 while there is echo,
    /// 1.1 at most without, in 44 s of speech, rock and hiss.
    static let right: Float = 2
    /// Blocks after which nothing of what was played is heard.
    static let heardBlocks = 70
    /// Below -90 dBFS nothing is played.
    static let least: Float = 3e-5
  }

  let name = "AEC3"
  let delayFrames: Int
  /// It says so after 3 s only.
  let patienceBlocks = 600
  private let handle: OpaquePointer
  private var quietBlocks = Shape.heardBlocks
  private(set) var isRight = false

  /// nil: out of memory, or a rate that it does not take.
  init?(_ library: AEC3Library, blockFrames: Int, sampleRate: Int) {
    guard blockFrames * 100 == sampleRate,
      let handle = unsafe caec3_create(library.handle, Int32(clamping: sampleRate))
    else { return nil }
    unsafe self.handle = unsafe handle
    delayFrames = unsafe Int(caec3_delay_frames(handle))
  }

  deinit { unsafe caec3_destroy(handle) }

  var isFarHeard: Bool { quietBlocks < Shape.heardBlocks }

  func run(_ microphone: Span<Float>, left: FloatRoom, right: FloatRoom, into treated: FloatRoom) {
    var loudest: Float = 0
    for index in 0..<microphone.count {
      loudest = max(loudest, abs(left[index]), abs(right[index]))
      treated[index] = microphone[index]
    }
    quietBlocks = loudest > Shape.least ? 0 : min(quietBlocks + 1, Shape.heardBlocks)
    let count = microphone.count
    unsafe caec3_run(handle, left.part(0, count), right.part(0, count), treated.part(0, count))
    isRight = unsafe caec3_lowered_decibels(handle) > Shape.right
  }
}
