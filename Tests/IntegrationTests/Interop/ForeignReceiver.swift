import Foundation
import Glibc
import Testing

@testable import TestRig

/// A program of others that plays RTP to a file, set up as its manual says for Opus by RFC 7587.
enum ForeignReceiver: String, CaseIterable, CustomTestStringConvertible {
  case ffmpeg
  case gstreamer

  var testDescription: String { rawValue }

  /// Starts it on a port of 127.0.0.1, to write mono 48 kHz to `wav` until it gets SIGINT.
  ///
  /// - Throws: `RigError`.
  func start(
    port: Int, payloadType: Int, wav: String, in directory: TemporaryDirectory
  ) throws(RigError) -> ChildProcess {
    let log = directory.file("\(rawValue).log")
    switch self {
    case .ffmpeg:
      let description = directory.file("stream.sdp")
      let text = Self.sessionDescription(port: port, payloadType: payloadType)
      guard FileManager.default.createFile(atPath: description, contents: Data(text.utf8)) else {
        throw .file(path: description, reason: "cannot be written")
      }
      // By the time stamps: while the talker is silent, nothing is sent.
      return try ChildProcess(
        "ffmpeg",
        ["-nostdin", "-hide_banner", "-loglevel", "warning"]
          + ["-protocol_whitelist", "file,udp,rtp", "-i", description]
          + ["-af", "aresample=async=1", "-ac", "1", "-ar", "48000", "-c:a", "pcm_s16le", wav],
        outputPath: log)
    case .gstreamer:
      let caps =
        "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=\(payloadType)"
      return try ChildProcess(
        "gst-launch-1.0",
        ["-e", "udpsrc", "address=127.0.0.1", "port=\(port)", "caps=\(caps)"]
          + ["!", "rtpjitterbuffer", "!", "rtpopusdepay", "!", "opusdec"]
          + ["!", "audioconvert", "!", "audioresample", "!", "audiorate"]
          + ["!", "audio/x-raw,format=S16LE,rate=48000,channels=1"]
          + ["!", "wavenc", "!", "filesink", "location=\(wav)"],
        outputPath: log)
    }
  }

  /// What it printed that no healthy stream makes it print.
  func complaints(in output: String) -> [String] {
    output.split(separator: "\n").map(String.init).filter { line in
      let words = line.lowercased()
      // ffmpeg cannot know what is yet to come of a live stream.
      guard !words.contains("estimating duration") else { return false }
      return ["error", "invalid", "corrupt", "missed", "bad ", "failed"].contains {
        words.contains($0)
      }
    }
  }

  /// RFC 8866, with the format parameters of RFC 7587 §7.
  private static func sessionDescription(port: Int, payloadType: Int) -> String {
    """
    v=0
    o=- 0 0 IN IP4 127.0.0.1
    s=Comlink
    c=IN IP4 127.0.0.1
    t=0 0
    m=audio \(port) RTP/AVP \(payloadType)
    a=rtpmap:\(payloadType) opus/48000/2
    a=fmtp:\(payloadType) sprop-stereo=0;usedtx=1

    """
  }
}
