import FoundationEssentials
import StatusSchema
import Testing

@testable import Remote

@Suite struct ControlRequestTests {
  static let lines: [(ControlRequest, String)] = [
    (.status, #"{"request":"status"}"#),
    (.subscribe(levels: .calm), #"{"levels":false,"request":"subscribe"}"#),
    (.subscribe(levels: .named), #"{"levels":true,"request":"subscribe"}"#),
    (.subscribe(levels: .listed), #"{"levels":"list","request":"subscribe"}"#),
    (.version, #"{"request":"version"}"#),
    (.talk(isOn: true), #"{"on":true,"request":"talk"}"#),
    (.sidetone(decibels: -18), #"{"decibels":-18,"request":"sidetone"}"#),
    (.sidetone(decibels: nil), #"{"request":"sidetone"}"#),
    (.ear(changes: ["volume": "-6"]), #"{"request":"ear","settings":{"volume":"-6"}}"#),
    (
      .voice(changes: ["gain": "auto", "suppress": "light"]),
      #"{"request":"voice","settings":{"gain":"auto","suppress":"light"}}"#
    ),
    (
      .choose(changes: ["name": "FOH", "profile": "wifi"]),
      #"{"request":"choose","settings":{"name":"FOH","profile":"wifi"}}"#
    ),
    (.gain(peer: "B", decibels: -6.5), #"{"decibels":-6.5,"peer":"B","request":"gain"}"#),
    (.mute(peer: "B/Ä", isOn: false), #"{"on":false,"peer":"B/Ä","request":"mute"}"#),
    (.pan(peer: "B", position: -1), #"{"peer":"B","position":-1,"request":"pan"}"#),
    (
      .place(peer: "B", azimuth: -30, elevation: 10),
      #"{"azimuth":-30,"elevation":10,"peer":"B","request":"place"}"#
    ),
    (.place(peer: "B", azimuth: nil, elevation: 0), #"{"peer":"B","request":"place"}"#),
    (.groupNew(name: "crew"), #"{"group":"crew","request":"group-new"}"#),
    (
      .groupJoin(invitation: SecretText("comlink:group/crew/a")),
      #"{"invitation":"comlink:group/crew/a","request":"group-join"}"#
    ),
    (.groupList, #"{"request":"group-list"}"#),
    (.groupLeave(name: "crew"), #"{"group":"crew","request":"group-leave"}"#),
    (.peers, #"{"request":"peers"}"#),
    (.accept(peer: "B"), #"{"peer":"B","request":"accept"}"#),
    (.decline(peer: "B"), #"{"peer":"B","request":"decline"}"#),
    (.invite(peer: "B"), #"{"peer":"B","request":"invite"}"#),
    (.identityNew, #"{"request":"id-new"}"#),
    (.forget(peer: "B"), #"{"peer":"B","request":"forget"}"#),
    (.block(peer: "B"), #"{"peer":"B","request":"block"}"#),
    (.pairShow(group: nil), #"{"request":"pair-show"}"#),
    (.pairShow(group: "crew"), #"{"group":"crew","request":"pair-show"}"#),
    (
      .pairWith(peer: "B", pin: SecretText("123456")),
      #"{"peer":"B","pin":"123456","request":"pair-with"}"#
    ),
    (.logLevel(level: nil, area: nil), #"{"request":"log-level"}"#),
    (.logLevel(level: "debug", area: nil), #"{"level":"debug","request":"log-level"}"#),
    (
      .logLevel(level: "debug", area: "mesh"),
      #"{"area":"mesh","level":"debug","request":"log-level"}"#
    ),
    (
      .testTone(levelDBFS: -20, hertz: 1000, seconds: 3.5),
      #"{"hertz":1000,"level":-20,"request":"test-tone","seconds":3.5}"#
    ),
    (.testLoop(peer: "B"), #"{"peer":"B","request":"test-loop"}"#),
    (.testSpeech(peer: nil), #"{"request":"test-speech"}"#),
    (.testSpeech(peer: "B"), #"{"peer":"B","request":"test-speech"}"#),
    (.loopBack(peer: "B", minutes: 5), #"{"minutes":5,"peer":"B","request":"loopback"}"#),
    (.loopBackOff, #"{"request":"loopback-off"}"#),
    (.sound(.test(seconds: 6)), #"{"request":"test-voice","seconds":6}"#),
    (.sound(.monitor(seconds: 60)), #"{"request":"voice-monitor","seconds":60}"#),
    (
      .recordStart(RecordingRequest(directory: "/srv")),
      #"{"recording":{"directory":"/srv","mix":true,"peers":true},"request":"record-start"}"#
    ),
    (.recordStart(wholeRecording), wholeRecordingLine),
    (.recordStop, #"{"request":"record-stop"}"#),
    (.say(to: "foh", text: "Go"), #"{"request":"say","text":"Go","to":"foh"}"#),
    (
      .say(to: "foh", text: "Go", isAloud: true),
      #"{"aloud":true,"request":"say","text":"Go","to":"foh"}"#
    ),
    (.messages(MessageRequest()), #"{"messages":{},"request":"messages"}"#),
    (.messages(wholeMessages), wholeMessagesLine),
    (.voiceMessage(.record), #"{"request":"voice-message-record"}"#),
    (.voiceMessage(.pause), #"{"request":"voice-message-pause"}"#),
    (.voiceMessage(.resume), #"{"request":"voice-message-resume"}"#),
    (.voiceMessage(.cancel), #"{"request":"voice-message-cancel"}"#),
    (.voiceMessage(.stop), #"{"request":"voice-message-stop"}"#),
    (
      .voiceMessage(.send(to: "foh", upload: nil)), #"{"request":"voice-message-send","to":"foh"}"#
    ),
    (
      .voiceMessage(.send(to: "foh", upload: "x1")),
      #"{"request":"voice-message-send","to":"foh","upload":"x1"}"#
    ),
    (
      .voiceMessage(.upload(name: "x1", offset: 3, octets: Data([0, 1, 2]))),
      #"{"octets":"AAEC","offset":3,"request":"voice-message-upload","upload":"x1"}"#
    ),
    (
      .voiceMessage(.play(number: 7, at: 2.5, speed: 1.5)),
      #"{"at":2.5,"number":7,"request":"voice-message-play","speed":1.5}"#
    ),
    (
      .voiceMessage(.play(number: 7, at: nil, speed: nil)),
      #"{"number":7,"request":"voice-message-play"}"#
    ),
    (.voiceMessage(.seek(to: 12.5)), #"{"at":12.5,"request":"voice-message-seek"}"#),
    (.voiceMessage(.speed(0.75)), #"{"request":"voice-message-speed","speed":0.75}"#),
    (
      .voiceMessage(.audio(number: 7, offset: 30)),
      #"{"number":7,"offset":30,"request":"voice-message-audio"}"#
    ),
    (
      .messageAct(.keep(line: "stage", days: "none")),
      #"{"keep":"none","line":"stage","request":"messages-keep"}"#
    ),
    (
      .messageAct(.keep(line: "stage", days: nil)), #"{"line":"stage","request":"messages-keep"}"#
    ),
    (
      .messageAct(.edit(number: 7, text: "Go")),
      #"{"number":7,"request":"messages-edit","text":"Go"}"#
    ),
    (
      .messageAct(.react(number: 7, sign: "ok")),
      #"{"number":7,"request":"messages-react","sign":"ok"}"#
    ),
    (.messageAct(.react(number: 7, sign: nil)), #"{"number":7,"request":"messages-react"}"#),
    (.messagesClear(with: nil), #"{"request":"messages-clear"}"#),
    (.messagesClear(with: "foh"), #"{"request":"messages-clear","with":"foh"}"#),
    (.pageInvite(rights: .talk, name: nil), #"{"request":"page-invite","rights":"talk"}"#),
    (
      .pageInvite(rights: .admin, name: "Anna"),
      #"{"name":"Anna","request":"page-invite","rights":"admin"}"#
    ),
    (.pageList, #"{"request":"page-list"}"#),
    (.service(.doctor), #"{"request":"doctor"}"#), (.service(.restart), #"{"request":"restart"}"#),
    (.pageRevoke(session: "Anna"), #"{"request":"page-revoke","session":"Anna"}"#),
    (.pageRevoke(session: nil), #"{"request":"page-revoke"}"#),
    (
      .pageToken(.new(name: "desk", rights: .talk)),
      #"{"name":"desk","request":"page-token-new","rights":"talk"}"#
    ),
    (.pageToken(.list), #"{"request":"page-token-list"}"#),
    (.pageToken(.revoke("desk")), #"{"request":"page-token-revoke","token":"desk"}"#),
    (.pageToken(.revoke(nil)), #"{"request":"page-token-revoke"}"#),
    (
      .patch(.input(name: "desk", isOn: false)),
      #"{"input":"desk","on":false,"request":"input-set"}"#
    ),
    (
      .patch(.input(name: "desk", isOn: nil, lines: ["stage", "pgm"])),
      #"{"input":"desk","lines":["stage","pgm"],"request":"input-set"}"#
    ),
    (
      .patch(.bus(name: "ifb", peer: "B", decibels: -6)),
      #"{"bus":"ifb","decibels":-6,"peer":"B","request":"bus-set"}"#
    ),
    (.patch(.bus(name: "ifb", peer: nil, decibels: nil)), #"{"bus":"ifb","request":"bus-set"}"#),
    (.line(.list), #"{"request":"line-list"}"#),
    (.line(.new(line: "Bühne")), #"{"line":"Bühne","request":"line-new"}"#),
    (.line(.join(line: "a")), #"{"line":"a","request":"line-join"}"#),
    (.line(.leave(line: "a")), #"{"line":"a","request":"line-leave"}"#),
    (
      .line(.new(line: "a", isPrivate: true)),
      #"{"line":"a","private":true,"request":"line-new"}"#
    ),
    (
      .line(.join(line: "a", isPrivate: true)),
      #"{"line":"a","private":true,"request":"line-join"}"#
    ),
    (
      .operators(.allow(peer: "B", rights: ["kill"])),
      #"{"peer":"B","request":"operator-allow","rights":["kill"]}"#
    ),
    (.operators(.deny(peer: "B")), #"{"peer":"B","request":"operator-deny"}"#),
    (.operators(.kill), #"{"request":"mic-kill"}"#),
    (
      .operators(.at(peer: "B", .key(.tap(key: "a")))),
      #"{"ask":{"key":"a","request":"key-tap"},"peer":"B","request":"at"}"#
    ),
    (.line(.again(line: nil, seconds: nil)), #"{"request":"again"}"#),
    (.line(.again(line: "a", seconds: 5)), #"{"line":"a","request":"again","seconds":5}"#),
    (.line(.add(line: "a", peer: "B")), #"{"line":"a","peer":"B","request":"line-add"}"#),
    (.line(.remove(line: "a", peer: "B")), #"{"line":"a","peer":"B","request":"line-remove"}"#),
    (
      .line(.listen(line: "a", isOn: false)), #"{"line":"a","on":false,"request":"line-listen"}"#
    ),
    (
      .line(.pan(line: "a", position: -0.5)),
      #"{"line":"a","position":-0.5,"request":"line-pan"}"#
    ),
    (.line(.port(line: "a", isOn: true)), #"{"line":"a","on":true,"request":"line-port"}"#),
    (
      .line(.priority(line: "a", priority: 4)),
      #"{"line":"a","priority":4,"request":"line-priority"}"#
    ),
    (
      .line(.display(line: "a", text: "STG")),
      #"{"line":"a","request":"line-display","text":"STG"}"#
    ),
    (.key(.preset("panel", lines: [])), #"{"preset":"panel","request":"key-preset"}"#),
    (
      .assistant(.call(isSpoken: true, guest: "0123456789abcdef", AssistantCaller())),
      #"{"caller":{"context":"node"},"guest":"0123456789abcdef","request":"assistant-call","spoken":true}"#
    ),
    (
      .assistant(.turn(session: nil, text: "How far?", AssistantCaller())),
      #"{"caller":{"context":"node"},"request":"assistant-turn","text":"How far?"}"#
    ),
    (
      .key(.preset("beltpack", lines: ["a", "b"])),
      #"{"lines":["a","b"],"preset":"beltpack","request":"key-preset"}"#
    ),
    (
      .line(.level(line: "a", decibels: -6)),
      #"{"decibels":-6,"line":"a","request":"line-level"}"#
    ),
    (.key(.list), #"{"request":"key-list"}"#),
    (.key(.press(key: "a", holder: nil)), #"{"key":"a","request":"key-press"}"#),
    (
      .key(.press(key: "a", holder: "pedal")),
      #"{"holder":"pedal","key":"a","request":"key-press"}"#
    ),
    (
      .key(.release(key: "a", holder: "pedal")),
      #"{"holder":"pedal","key":"a","request":"key-release"}"#
    ),
    (
      .key(.release(key: "a", holder: "pedal", isTap: false)),
      #"{"holder":"pedal","key":"a","request":"key-release","tap":false}"#
    ),
    (.key(.tap(key: "a")), #"{"key":"a","request":"key-tap"}"#),
    (.key(.hold(holder: "pedal")), #"{"holder":"pedal","request":"key-hold"}"#),
    (.key(.remove(key: "a")), #"{"key":"a","request":"key-remove"}"#),
    (
      .call(.call(peer: "B", line: nil, holder: "pedal")),
      #"{"holder":"pedal","peer":"B","request":"call"}"#
    ),
    (.call(.call(peer: nil, line: "a", holder: nil)), #"{"line":"a","request":"call"}"#),
    (.call(.end(peer: "B", line: nil)), #"{"peer":"B","request":"call-end"}"#),
    (.call(.list), #"{"request":"call-list"}"#),
    (.call(.clear(peer: "B", isAll: false)), #"{"peer":"B","request":"call-clear"}"#),
    (.call(.clear(peer: nil, isAll: true)), #"{"all":true,"request":"call-clear"}"#),
    (.call(.reply(clears: false)), #"{"request":"reply"}"#),
    (.call(.reply(clears: true)), #"{"clear":true,"request":"reply"}"#),
    (
      .key(.set(KeySetting(name: "a", lines: ["b", "c"]))),
      #"{"request":"key-set","setting":{"lines":["b","c"],"name":"a"}}"#
    ),
  ]

  private static var wholeRecording: RecordingRequest {
    var request = RecordingRequest(directory: "/srv/takes")
    request.peers = false
    request.buses = ["foh"]
    request.format = "wav"
    request.maxSizeBytes = 5_000_000_000
    request.keepFreeBytes = 0
    return request
  }

  private static var wholeMessages: MessageRequest {
    var request = MessageRequest()
    (request.with, request.search, request.after, request.before) = ("group", "lights", 3, 90)
    (request.limit, request.waitSeconds, request.marksRead) = (10, 2.5, true)
    return request
  }

  private static let wholeMessagesLine =
    #"{"messages":{"after":3,"before":90,"limit":10,"marksRead":true,"search":"lights","#
    + #""waitSeconds":2.5,"with":"group"},"request":"messages"}"#

  private static let wholeRecordingLine =
    #"{"recording":{"buses":["foh"],"directory":"/srv/takes","format":"wav","keepFreeBytes":0,"#
    + #""maxSizeBytes":5000000000,"mix":true,"peers":false},"request":"record-start"}"#

  @Test(arguments: lines)
  func `a request is written and read as documented`(request: ControlRequest, line: String) throws {
    #expect(String(decoding: try JSONLine.encode(request), as: UTF8.self) == line)
    #expect(try JSONLine.decode(ControlRequest.self, from: Array(line.utf8)) == request)
  }

  static let bad: [(String, String)] = [
    ("", "not a JSON object"),
    ("hello", "not a JSON object"),
    ("[]", "not a JSON object"),
    ("3", "not a JSON object"),
    (#"{"request":"status""#, "not a JSON object"),
    ("{}", "field \"request\" is missing"),
    (#"{"request":3}"#, "field \"request\" must be a text"),
    (#"{"request":null}"#, "field \"request\" must not be null"),
    (
      #"{"request":"dance"}"#,
      "unknown request \"dance\"; use one of status, subscribe, version, talk, sidetone, ear, voice, choose, gain, "
        + "mute, pan, place, group-new, group-join, group-list, group-leave, peers, accept, decline, invite, forget, block, "
        + "id-new, pair-show, pair-with, log-level, test-tone, test-loop, test-speech, loopback, loopback-off, "
        + "record-start, record-stop, say, messages, messages-clear, page-invite, page-list, page-revoke, "
        + "line-new, line-join, again, line-add, line-remove, line-leave, line-list, line-listen, "
        + "line-level, line-pan, line-port, line-priority, line-display, "
        + "key-set, key-preset, key-remove, key-list, key-press, key-release, key-tap, key-hold, "
        + "call, call-end, call-list, call-clear, reply, input-set, bus-set, "
        + "operator-allow, operator-deny, at, mic-kill, "
        + "assistant-call, assistant-turn, assistant-end, assistant-consent, "
        + "assistant-agree, assistant-sessions, assistant-show, assistant-delete, "
        + "messages-keep, messages-edit, messages-react, voice-message-record, voice-message-pause, voice-message-resume, voice-message-cancel, "
        + "voice-message-send, voice-message-upload, voice-message-play, voice-message-seek, "
        + "voice-message-speed, voice-message-stop, voice-message-audio, test-voice, voice-monitor, "
        + "doctor, restart, page-token-new, page-token-list, page-token-revoke, "
        + "captions, captions-on, captions-off, captions-refuse, captions-clear, captions-keep, "
        + "session-host, session-join, session-leave, session-continue, session-end"
    ),
    (
      #"{"request":"test-voice","seconds":30}"#, "seconds must be from 2.0 to 20.0, not 30.0"
    ),
    (#"{"request":"subscribe","levels":20}"#, "field \"levels\" must be a true or false"),
    (#"{"request":"talk"}"#, "field \"on\" is missing"),
    (#"{"request":"talk","on":1}"#, "field \"on\" must be a true or false"),
    (#"{"request":"gain","decibels":1}"#, "field \"peer\" is missing"),
    (#"{"request":"gain","peer":"B","decibels":"1"}"#, "field \"decibels\" must be a number"),
    (
      #"{"request":"gain","peer":"B","decibels":21}"#,
      "decibels must be from -60.0 to 18.0, not 21.0"
    ),
    (#"{"request":"sidetone","decibels":1}"#, "decibels must be from -60.0 to 0.0, not 1.0"),
    (#"{"request":"sidetone","decibels":"loud"}"#, "field \"decibels\" must be a number"),
    (
      #"{"request":"place","peer":"B","azimuth":181}"#,
      "azimuth must be from -180.0 to 180.0, not 181.0"
    ),
    (
      #"{"request":"place","peer":"B","azimuth":0,"elevation":-41}"#,
      "elevation must be from -40.0 to 90.0, not -41.0"
    ),
    (
      #"{"request":"pan","peer":"B","position":-1.5}"#,
      "position must be from -1.0 to 1.0, not -1.5"
    ),
    (
      #"{"request":"test-tone","level":0,"hertz":1000,"seconds":1}"#,
      "level must be from -60.0 to -6.0, not 0.0"
    ),
    (#"{"request":"line-join"}"#, "field \"line\" is missing"),
    (
      #"{"request":"line-level","line":"a","decibels":13}"#,
      "decibels must be from -40.0 to 12.0, not 13.0"
    ),
    (#"{"request":"key-press"}"#, "field \"key\" is missing"),
    (#"{"request":"key-hold"}"#, "field \"holder\" is missing"),
    (#"{"request":"call"}"#, "give a peer or a line, and not both"),
    (#"{"request":"call","peer":"B","line":"a"}"#, "give a peer or a line, and not both"),
    (#"{"request":"key-set","setting":{}}"#, "field \"name\" is missing"),
    (
      #"{"request":"loopback","peer":"B","minutes":61}"#,
      "minutes must be from 0.1 to 60.0, not 61.0"
    ),
  ]

  @Test(arguments: bad)
  func `a bad request is refused in words`(line: String, words: String) {
    #expect(throws: RemoteError.malformed(words)) {
      try JSONLine.decode(ControlRequest.self, from: Array(line.utf8))
    }
  }

  @Test func `nesting as deep as a line can hold does not trap`() {
    for text in ["[", "{\"a\":", "[{\"request\":"] {
      let deep = Array(String(repeating: text, count: 65_536 / text.utf8.count).utf8)
      #expect(throws: RemoteError.self) { try JSONLine.decode(ControlRequest.self, from: deep) }
    }
  }

  private static var loopTest: LoopTestStatus {
    var result = LoopTestStatus(peer: "B", sent: 8, found: 7)
    result.roundTripMilliseconds = 61.25
    (result.leastMilliseconds, result.mostMilliseconds) = (60.5, 64)
    result.levelDecibels = -0.5
    result.networkMilliseconds = 1.5
    result.playoutDelayMilliseconds = 7.5
    return result
  }

  static let responses: [(ControlResponse, String)] = [
    (.ok, #"{"ok":true}"#),
    (.done(note: "for this run only"), #"{"note":"for this run only","ok":true}"#),
    (.version("0.1.0", schema: 1), #"{"ok":true,"schema":1,"version":"0.1.0"}"#),
    (
      .invitation(SecretText("comlink:group/crew/a")),
      #"{"invitation":"comlink:group/crew/a","ok":true}"#
    ),
    (
      .groups([GroupStatus(name: "crew", words: "acorn zodiac")]),
      #"{"groups":[{"name":"crew","words":"acorn zodiac"}],"ok":true}"#
    ),
    (.groups([]), #"{"groups":[],"ok":true}"#),
    (
      .logLevels(["audio": "info", "mesh": "debug"]),
      #"{"logLevels":{"audio":"info","mesh":"debug"},"ok":true}"#
    ),
    (
      .loopTest(loopTest),
      #"{"loopTest":{"found":7,"leastMilliseconds":60.5,"levelDecibels":-0.5,"mostMilliseconds":64,"#
        + #""networkMilliseconds":1.5,"peer":"B","playoutDelayMilliseconds":7.5,"#
        + #""roundTripMilliseconds":61.25,"sent":8},"ok":true}"#
    ),
    (
      .loopTest(LoopTestStatus(peer: "B", sent: 8, found: 0)),
      #"{"loopTest":{"found":0,"peer":"B","sent":8},"ok":true}"#
    ),
    (
      .speechTest(
        SpeechTestStatus(
          peer: nil, intelligibility: 0.9375, delayMilliseconds: 12.5, processorPercent: 0.75,
          ptimeMilliseconds: 10, bitrateKilobits: 64, application: "lowdelay")),
      #"{"ok":true,"speechTest":{"application":"lowdelay","bitrateKilobits":64,"delayMilliseconds":12.5,"#
        + #""intelligibility":0.9375,"processorPercent":0.75,"ptimeMilliseconds":10}}"#
    ),
    (
      .voiceTest(
        VoiceTestStatus(
          speechSeconds: 4, peakDBFS: -9, noiseLevelDBFS: -62, clippedPercent: 0.5)),
      #"{"ok":true,"voiceTest":{"clippedPercent":0.5,"noiseLevelDBFS":-62,"peakDBFS":-9,"#
        + #""speechSeconds":4}}"#
    ),
    (.error(message: "no peer \"X\""), #"{"error":"no peer \"X\"","ok":false}"#),
  ]

  @Test(arguments: responses)
  func `an answer is written and read as documented`(
    response: ControlResponse, line: String
  ) throws {
    #expect(String(decoding: try JSONLine.encode(response), as: UTF8.self) == line)
    #expect(try JSONLine.decode(ControlResponse.self, from: Array(line.utf8)) == response)
  }
}
