import Foundation
import TestKit
import Testing

@testable import Voice

/// WebRTC's canceller where it is, where it is not, and where something else has its place.
@Suite struct AEC3Tests {
  /// Takes off the mean of both loudspeakers, as loud as they are, is 5 ms late, and gives a block that is no sound now
  /// and then; it is sure of itself where it took something off.
  private static let plain = """
    #include <math.h>
    #include <stdint.h>
    #include <stdlib.h>
    typedef struct { int frames, count; float lowered, past[480]; int head; } canceller;
    static canceller *create(int32_t rate) {
      canceller *c = calloc(1, sizeof *c);
      c->frames = rate / 100;
      return c;
    }
    static void destroy(canceller *c) { free(c); }
    static int32_t late(const canceller *c) { return c->frames / 2; }
    static void run(canceller *c, const float *left, const float *right, float *block) {
      float heard = 1e-9f, gone = 0;
      for (int i = 0; i < c->frames; i++) {
        float echo = (left[i] + right[i]) / 2;
        heard += fabsf(block[i]);
        gone += fabsf(echo);
        float *past = &c->past[c->head];
        c->head = (c->head + 1) % (c->frames / 2);
        float fresh = block[i] - echo;
        block[i] = c->count == 90 ? NAN : *past;
        *past = fresh;
      }
      c->lowered = gone > 0.5f * heard ? 20 : 0;
      c->count++;
    }
    static float lowered(canceller *c) { return c->lowered; }
    static const struct {
      int32_t shape;
      canceller *(*create)(int32_t);
      void (*destroy)(canceller *);
      int32_t (*late)(const canceller *);
      void (*run)(canceller *, const float *, const float *, float *);
      float (*lowered)(canceller *);
    } functions = {SHAPE, create, destroy, late, run, lowered};
    const void *comlink_aec3_open(void) { return &functions; }
    """

  private func library(_ source: String) throws -> BuiltLibrary {
    try BuiltLibrary(source, name: AEC3Library.file)
  }

  private func chain(_ folder: String, rate: Int = 48_000) throws -> VoiceChain {
    let installed = Result { () throws(MissingLibrary) in
      try AEC3Library(folders: ["/nowhere", folder])
    }
    let change = VoiceChange(
      from: VoiceSettings(), to: try VoiceSettings([.echo: "aec3"]),
      format: VoiceFormat(sampleRate: rate, frameFrames: rate / 100),
      rnnoise: .failure(.unwanted), aec3: installed)
    return VoiceChain(change)
  }

  /// What is left of a voice and of what is played, which is in the microphone as it is played.
  private func treat(
    _ chain: VoiceChain, voice: [Float], played: [Float], isHeard: Bool = true
  ) -> [Float] {
    var heard = zip(voice, played).map { $0 + (isHeard ? $1 : 0) }
    let block = chain.format.sampleRate / 100
    for start in stride(from: 0, to: heard.count - block + 1, by: block) {
      var all = heard.mutableSpan
      var piece = all._mutatingExtracting(start..<start + block)
      let loudspeaker = played.span.extracting(start..<start + block)
      chain.process(&piece, left: loudspeaker, right: loudspeaker)
    }
    return heard
  }

  @Test(arguments: [44_100, 48_000, 96_000])
  func `a library that is there is used, and is as late as it says`(rate: Int) throws {
    let library = try library(Self.plain.replacing("SHAPE", with: "1"))
    defer { library.remove() }
    let chain = try chain(library.folder, rate: rate)
    #expect(chain.problem == nil)
    #expect(chain.echoEngine == "AEC3")
    #expect(chain.delayFrames == rate / 200)
    let voice = Sounds.speech(-26, seconds: 2, rate: rate)
    let played = Sounds.noise(-20, seconds: 2, rate: rate)
    let heard = treat(chain, voice: voice, played: played)
    let isFinite = heard.allSatisfy { $0.isFinite }
    #expect(isFinite)
    let late = rate / 200
    let error = zip(heard.suffix(rate / 2), voice.suffix(rate / 2 + late)).map { abs($0 - $1) }
    #expect(try #require(error.max()) < 1e-5)
  }

  @Test func `without echo the voice is as it was, as late, after some seconds`() throws {
    let library = try library(Self.plain.replacing("SHAPE", with: "1"))
    defer { library.remove() }
    let chain = try chain(library.folder)
    let voice = Sounds.noise(-20, seconds: 8, seed: 2)
    let played = Sounds.noise(-40, seconds: 8)
    let heard = treat(chain, voice: voice, played: played, isHeard: false)
    let isSame = heard.suffix(48_000).elementsEqual(voice.dropLast(240).suffix(48_000))
    #expect(isSame)
    #expect(chain.isEchoFound == false)
    let silence = [Float](repeating: 0, count: voice.count)
    let left = treat(chain, voice: silence, played: played)
    #expect(chain.isEchoFound == true)
    #expect(Sounds.level(left.suffix(48_000)) < -100)
  }

  @Test func `where there is none that is told, and the own canceller works`() throws {
    let chain = try chain("/nowhere/else")
    let start = "AEC3 is not installed (no comlink-aec3.so in /nowhere, /nowhere/else); install "
    let problem = try #require(chain.problem)
    #expect(problem.hasPrefix(start))
    #expect(problem.hasSuffix("; until then aec3 is on"))
    #expect(chain.echoEngine == "own")
  }

  @Test(arguments: ["int x;", "SHAPE"])
  func `a library of another kind, or of another version, is told`(source: String) throws {
    let text = source == "SHAPE" ? Self.plain.replacing("SHAPE", with: "2") : source
    let library = try library(text)
    defer { library.remove() }
    let chain = try chain(library.folder)
    let problem = try #require(chain.problem)
    #expect(problem.hasPrefix("AEC3 is not usable (\(library.path): is not this version's"))
    #expect(problem.hasSuffix("until then aec3 is on"))
    #expect(chain.echoEngine == "own")
  }

  @Test func `at a rate of which 10 ms are no whole frames the own canceller works`() throws {
    let library = try library(Self.plain.replacing("SHAPE", with: "1"))
    defer { library.remove() }
    #expect(try chain(library.folder, rate: 22_050).echoEngine == "own")
  }
}
