import Foundation
import TestKit
import TestRig

/// The same calls in virtual time, made by the stations of the tests: the same each time, and nobody's clock matters.
struct VirtualCalls {
  let speech: QualitySpeech
  let profile: QualityProfile
  let periodFrames: Int
  let seeds: [Int]
  let directory: TemporaryDirectory

  /// Makes all calls.
  ///
  /// - Throws: `RigError`.
  func make(over links: [QualityLink]) throws(RigError) {
    var job = QualityJob(
      speechPath: directory.file("speech.f32"), starts: speech.starts, folder: directory.path,
      periodFrames: periodFrames, profile: profile.name)
    job.bitrateMaxKilobits = profile.bitrateMaxKilobits
    job.calls = links.flatMap { link in
      seeds.map {
        QualityJob.Call(
          name: Self.name(link, seed: $0), options: link.options, seed: UInt64($0))
      }
    }
    try RawSound.write(speech.samples, to: job.speechPath)
    let path = directory.file("calls.json")
    guard let data = try? JSONEncoder().encode(job),
      FileManager.default.createFile(atPath: path, contents: data)
    else { throw .file(path: path, reason: "cannot be written") }
    try run(jobPath: path)
  }

  /// What came of a call that was made.
  ///
  /// - Throws: `RigError`.
  func result(
    over link: QualityLink, seed: Int
  ) throws(RigError) -> (recorded: [Float], reading: QualityReading) {
    let path = directory.file("\(Self.name(link, seed: seed)).json")
    guard
      let reading = FileManager.default.contents(atPath: path)
        .flatMap({ try? JSONDecoder().decode(QualityReading.self, from: $0) })
    else { throw .file(path: path, reason: "is no reading") }
    return (try RawSound.read(directory.file("\(Self.name(link, seed: seed)).f32")), reading)
  }

  private static func name(_ link: QualityLink, seed: Int) -> String { "\(link.name)-\(seed)" }

  /// `./dev` has built the tests with these options.
  private func run(jobPath: String) throws(RigError) {
    let root = Executables.sourceRoot
    let workshop = try ChildProcess(
      "swift",
      [
        "test", "--package-path", root, "--scratch-path", "\(root)/.build-core", "--skip-build",
        "--disable-xctest", "-Xswiftc", "-O", "--filter", "QualityRun",
      ],
      environment: ["COMLINK_CORE_ONLY": "1", QualityJob.variable: jobPath],
      outputPath: directory.file("calls.log"))
    let status = try workshop.wait(within: 1800)
    guard status == 0 else {
      throw .ended(command: workshop.command, status: status, output: workshop.outputTail())
    }
  }
}
