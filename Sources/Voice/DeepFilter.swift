internal import CDeepFilter

/// DeepFilterNet, loaded where it is installed: a folder with its library and a model.
@safe public struct DeepFilterLibrary: @unchecked Sendable {
  // Never freed, and not changed once it is loaded.
  fileprivate let handle: OpaquePointer

  /// Names a folder that is looked at before ``folders``.
  public static let variable = "COMLINK_DEEPFILTER"
  /// The files of a folder.
  static let (library, model) = ("libdeepfilter.so", "DeepFilterNet3_onnx.tar.gz")

  /// Where it is looked for; the first that has it wins.
  public static var folders: [String] { LibraryFolders.all(variable) }

  /// A library, or why there is none.
  typealias Installed = Result<DeepFilterLibrary, MissingLibrary>

  /// The one that is installed, looked for once.
  static let installed: Installed = Result { () throws(MissingLibrary) in
    try DeepFilterLibrary()
  }

  /// Loads it for good; it takes half a second.
  public init(folders: [String] = Self.folders) throws(MissingLibrary) {
    unsafe handle = try unsafe MissingLibrary.first(of: folders) { folder, words, count in
      unsafe cdeepfilter_open("\(folder)/\(Self.library)", "\(folder)/\(Self.model)", words, count)
    } orThrow: { reason in
      let lack = "installed (no \(Self.library) in \(folders.joined(separator: ", ")))"
      let state = reason.isEmpty ? lack : "usable (\(reason))"
      return "DeepFilterNet is not \(state); see docs/voice.md, or take suppress strong"
    }
  }
}

/// DeepFilterNet: blocks of 10 ms at 48 kHz.
@safe final class DeepFilterSuppressor: BlockEngine {
  let delayFrames: Int
  private let handle: OpaquePointer

  /// nil: out of memory.
  init?(_ library: DeepFilterLibrary) {
    guard let handle = unsafe cdeepfilter_create(library.handle) else { return nil }
    unsafe self.handle = unsafe handle
    delayFrames = unsafe Int(cdeepfilter_delay_frames(library.handle))
  }

  deinit { unsafe cdeepfilter_destroy(handle) }

  func process(_ block: inout MutableSpan<Float>) {
    guard block.count == Int(CDEEPFILTER_BLOCK_FRAMES) else { return }
    unsafe block.withUnsafeMutableBufferPointer { block in
      guard let base = block.baseAddress else { return }
      unsafe cdeepfilter_run(handle, base)
    }
  }
}
