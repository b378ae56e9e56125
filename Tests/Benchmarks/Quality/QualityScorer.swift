import Foundation
import TestRig

/// The program that judges recordings: PESQ and STOI are other people's, in Python.
struct QualityScorer {
  /// The environment variable that names the Python with the modules of `Tests/Quality`.
  static let pythonVariable = "COMLINK_QUALITY_PYTHON"

  /// Scores of one piece.
  struct Score: Decodable {
    /// Mean opinion, 1 to 4.64; nil where nothing of the piece was found.
    var pesq: Double?
    var stoi: Double
    var correlation: Double
    /// Port to port.
    var lagMilliseconds: Double
  }

  private struct Recording: Encodable {
    var path: String
    var expected: [Int]
  }

  private struct Job: Encodable {
    var rate = Speech.sampleRate
    var reference: String
    var starts: [Int]
    var frames: Int
    var recordings: [Recording]
  }

  let speech: QualitySpeech
  let directory: TemporaryDirectory

  /// Scores of each piece in a recording.
  ///
  /// - Throws: `RigError`.
  func scores(_ recorded: [Float], expected: [Int]) throws(RigError) -> [Score] {
    let job = Job(
      reference: directory.file("reference.f32"), starts: speech.starts,
      frames: speech.pieceFrames,
      recordings: [Recording(path: directory.file("recorded.f32"), expected: expected)])
    try RawSound.write(speech.samples, to: job.reference)
    try RawSound.write(recorded, to: job.recordings[0].path)
    let input = directory.file("job.json")
    let errors = directory.file("score.log")
    let output = directory.file("scores.json")
    guard let data = try? JSONEncoder().encode(job),
      FileManager.default.createFile(atPath: input, contents: data),
      let reader = FileHandle(forReadingAtPath: input),
      FileManager.default.createFile(atPath: output, contents: nil),
      let writer = FileHandle(forWritingAtPath: output)
    else { throw .file(path: input, reason: "cannot be written") }
    let judge = try ChildProcess(
      try Self.python(), ["\(Executables.sourceRoot)/Tests/Quality/score.py"],
      outputPath: errors, standardInput: reader.fileDescriptor,
      standardOutput: writer.fileDescriptor)
    let status = try judge.wait(within: 600)
    let scores = FileManager.default.contents(atPath: output)
      .flatMap { try? JSONDecoder().decode([[Score]].self, from: $0) }?.first
    guard status == 0, let scores else {
      throw .ended(command: judge.command, status: status, output: judge.outputTail())
    }
    return scores
  }

  private static func python() throws(RigError) -> String {
    if let path = ProcessInfo.processInfo.environment[pythonVariable] { return path }
    let path = "\(Executables.sourceRoot)/.build/quality-venv/bin/python"
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw .missing(what: path, hint: "./dev bench quality makes it")
    }
    return path
  }
}
