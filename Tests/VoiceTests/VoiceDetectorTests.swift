import TestKit
import Testing

@testable import Voice

/// What is a voice, and what is not.
@Suite struct VoiceDetectorTests {
  /// The share of 10 ms in which it hears a voice.
  private func share(_ sound: [Float], rate: Int = 48_000) throws -> Double {
    let detector = try #require(VoiceDetector(sampleRate: rate, blockFrames: rate / 100))
    var (heard, count) = (0, 0)
    for start in stride(from: 0, to: sound.count - rate / 100 + 1, by: rate / 100) {
      detector.observe(sound.span.extracting(start..<start + rate / 100))
      (heard, count) = (heard + (detector.isSpeech ? 1 : 0), count + 1)
    }
    return Double(heard) / Double(count)
  }

  @Test(arguments: [8000, 16_000, 44_100, 48_000, 96_000])
  func `speech is heard at any rate`(rate: Int) throws {
    #expect(try share(Sounds.speech(-26, seconds: 8, rate: rate), rate: rate) > 0.6)
  }

  @Test(arguments: [-50, -30, -10.0])
  func `speech is heard at any level`(level: Double) throws {
    #expect(try share(Sounds.speech(level, seconds: 8)) > 0.6)
  }

  @Test func `speech is heard in noise 10 dB below it`() throws {
    let noise = Sounds.noise(-36, seconds: 8)
    let both = zip(noise, Sounds.speech(-26, seconds: 8)).map { $0 + $1 }
    #expect(try share(noise + both) > 0.3)
  }

  @Test(arguments: [-70, -40, -20.0])
  func `noise is none`(level: Double) throws {
    #expect(try share(Sounds.noise(level, seconds: 10)) < 0.01)
  }

  @Test(arguments: [50, 440, 1000.0])
  func `a tone is none`(hertz: Double) throws {
    #expect(try share(Sounds.sine(hertz, 0.3, seconds: 10)) < 0.05)
  }

  @Test func `silence is none`() throws {
    #expect(try share([Float](repeating: 0, count: 480_000)) == 0)
  }

  @Test func `clicks are none`() throws {
    var sound = Sounds.noise(-70, seconds: 10)
    for start in stride(from: 1000, to: sound.count, by: 24_000) { sound[start] = 0.8 }
    #expect(try share(sound) < 0.05)
  }
}

/// RNNoise where it is, where it is not, and where something else has its name.
@Suite struct RNNoiseTests {
  /// Halves the sound, a block late as the real one, and gives a block that is no sound now and then.
  private static let half = """
    #include <math.h>
    #include <stdlib.h>
    #include <string.h>
    struct s { float past[480]; int count; };
    void *rnnoise_create(void *m) { (void)m; return calloc(1, sizeof(struct s)); }
    void rnnoise_destroy(void *s) { free(s); }
    int rnnoise_get_frame_size(void) { return SIZE; }
    float rnnoise_process_frame(void *p, float *out, const float *in) {
      struct s *s = p;
      for (int i = 0; i < 480; i++) {
        float now = in[i] / 2;
        out[i] = s->count == 50 ? NAN : s->past[i];
        s->past[i] = now;
      }
      s->count++;
      return 0;
    }
    """

  private func chain(_ path: String, rate: Int) throws -> (VoiceChain, problem: String?) {
    let installed = Result { () throws(MissingLibrary) in
      // What these libraries make is to be seen as it is.
      try RNNoiseLibrary(names: [path], isMasked: false)
    }
    let format = VoiceFormat(sampleRate: rate, frameFrames: rate / 100)
    let chain = VoiceChain(VoiceSettings(), format: format)
    let change = VoiceChange(
      from: VoiceSettings(), to: try VoiceSettings([.suppress: "strong"]), format: format,
      rnnoise: installed)
    #expect(chain.apply(change))
    _ = chain.treat([Float](repeating: 0, count: rate), frames: [rate / 100])
    return (chain, chain.problem)
  }

  @Test(arguments: [44_100, 48_000, 96_000])
  func `a library that is there is used, at any rate`(rate: Int) throws {
    let library = try BuiltLibrary(Self.half.replacing("SIZE", with: "480"))
    defer { library.remove() }
    let (chain, problem) = try chain(library.path, rate: rate)
    #expect(problem == nil)
    let tone = Sounds.sine(500, 0.5, seconds: 1, rate: rate)
    let heard = chain.treat(tone, frames: [rate / 100]).suffix(rate / 2)
    #expect(abs(Sounds.level(heard) - Sounds.level(tone) + 6) < 0.3)
    let isSound = heard.allSatisfy { $0.isFinite }
    #expect(isSound)
    // It hears the tone half as loud, and as late as told.
    let late = chain.delayFrames
    // Where rates are converted a frame more or less.
    let errors = (late - 2...late + 2).map { late in
      zip(heard, tone.suffix(rate / 2 + late)).map { abs($0 - $1 / 2) }.max() ?? 1
    }
    #expect(try #require(errors.min()) < 0.01, "\(errors)")
  }

  @Test func `a library with blocks of another length is told, and the chain goes on`() throws {
    let library = try BuiltLibrary(Self.half.replacing("SIZE", with: "160"))
    defer { library.remove() }
    let (chain, problem) = try chain(library.path, rate: 48_000)
    #expect(problem?.contains("is not RNNoise for blocks of 10 ms") == true)
    #expect(problem?.contains("until then strong is up to 25 dB by speexdsp") == true)
    #expect(Sounds.level(chain.treat(Sounds.noise(-40, seconds: 3)).suffix(48_000)) < -55)
  }

  @Test func `a library that is not there is told, and what to do`() throws {
    let (_, problem) = try chain("/nowhere/librnnoise.so", rate: 48_000)
    #expect(problem?.hasPrefix("RNNoise is not installed (") == true)
    let advice = "install the package comlink-rnnoise, or take suppress light"
    #expect(problem?.contains(advice) == true)
  }

  @Test func `a library of another kind is told`() throws {
    let library = try BuiltLibrary("int x;")
    defer { library.remove() }
    let (_, problem) = try chain(library.path, rate: 48_000)
    #expect(problem?.contains("is not RNNoise") == true)
  }
}
