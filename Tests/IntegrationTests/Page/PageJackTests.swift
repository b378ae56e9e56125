import Foundation
import Remote
import StatusSchema
import Testing

@testable import TestRig

/// The page in a real browser, with real stations behind it.
@Suite(.serialized, .enabled(if: Browser.isInstalled, "apt-get install chromium libnss3-tools"))
struct PageJackTests {
  @Test func `a phone signs in, presses and mutes, and a second one sees it live`() throws {
    let stage = try PageStage(others: 1)
    _ = try stage.node.ask(.talk(isOn: false))
    let page = try stage.page(name: "Anna")
    #expect(try page.value(of: "isSecureContext") == "true")
    #expect(try page.value(of: "location.hash") == "")
    let other = try stage.page(.listen, name: "Ben")

    // Held: the gate is open as long as the finger is there.
    try page.touch(".key")
    try stage.wait("the talk key is on") { $0.node.talk }
    try other.wait("document.querySelector('.key:not(.latched)[data-tally^=talk]')")
    pause(seconds: 0.3)
    try page.release()
    try stage.wait("the talk key is off") { !$0.node.talk }
    // Tapped: it stays open, until the next tap.
    try page.tap(".key")
    try stage.wait("the talk key is on") { $0.node.talk }
    try page.wait("document.querySelector('.key.latched[data-tally^=talk]')")
    try page.tap(".key")
    try stage.wait("the talk key is off") { !$0.node.talk }

    try slideAndType(stage, page)

    try page.tap(".talker .mute")
    try stage.wait("foh is muted") { $0.peers.first?.isMuted == true }
    try other.wait("document.querySelector('.talker.muted')")
    // What is done elsewhere is on the page.
    _ = try stage.node.ask(.mute(peer: "foh", isOn: false))
    _ = try stage.node.ask(.gain(peer: "foh", decibels: -12))
    try page.wait(
      "!document.querySelector('.talker.muted') && document.querySelector('.talker output').textContent === '-12 dB'"
    )
    try page.wait(
      "document.querySelector('.talker .meter').getAttribute('aria-valuenow') > -45")
    try savePower(page)

    // Ben may only listen: his key does nothing.
    try other.tap(".key")
    #expect(
      try other.value(of: "document.querySelector('.key').getAttribute('aria-disabled')") == "true")
    #expect(try !stage.node.status().node.talk)
    // Whoever is signed out is out at once.
    _ = try stage.node.ask(.pageRevoke(session: "Ben"))
    try other.wait("document.querySelector('.state').dataset.state === 'lost'")
    try other.go(to: try stage.invitation().split(separator: "#")[0].description)
    try other.wait("document.querySelector('form.signin')")
    // A page that goes lets go of what it holds.
    try page.touch(".key")
    try stage.wait("the talk key is on") { $0.node.talk }
    try page.close()
    try stage.wait("the talk key is off") { !$0.node.talk }
  }

  /// Levels come by their names to a page that saves power, and as a list to one that does so no more.
  private func savePower(_ page: BrowserPage) throws {
    try page.value(of: "import('/link.js').then(all => {window.all = all})")
    try page.wait("window.all?.link.model.levels?.[0] > -45")
    for isSaving in [true, false] {
      try page.value(
        of: """
          (localStorage.saving = \(isSaving),
            Object.values(all.link.model.peers)[0].levelDBFS = -120, all.subscribe().then(() => {}))
          """)
      try page.wait("Object.values(all.link.model.peers)[0].levelDBFS > -45")
    }
  }

  private func slideAndType(_ stage: PageStage, _ page: BrowserPage) throws {
    // Slid, it stays open, too.
    try page.touch(".key")
    try stage.wait("the talk key is on") { $0.node.talk }
    try page.slide(on: ".key", by: 60)
    try page.wait("document.querySelector('.key.latched[data-tally^=talk]')")
    try page.release()
    pause(seconds: 0.3)
    #expect(try stage.node.status().node.talk)
    try page.tap(".key")
    try stage.wait("the talk key is off") { !$0.node.talk }
    // The keyboard does the same.
    func type(_ event: String) throws {
      let key = "new KeyboardEvent('\(event)', { key: ' ', bubbles: true, cancelable: true })"
      try page.value(of: "document.querySelector('.key').dispatchEvent(\(key))")
    }
    try type("keydown")
    try stage.wait("the talk key is on") { $0.node.talk }
    pause(seconds: 0.3)
    try type("keyup")
    try stage.wait("the talk key is off") { !$0.node.talk }
  }

  @Test func `keys and lines are on the page, and a lost finger never latches`() throws {
    let stage = try PageStage(others: 1)
    // Names that would be something else in HTML.
    let name = "<b onclick='x=1'>\u{1F3A4}</b>\""
    for line in [name, "lights"] {
      #expect(try stage.node.ask(.line(.new(line: line))) == .ok)
    }
    let page = try stage.page(name: "Anna")
    func key(_ name: String) throws -> KeyStatus? {
      try stage.node.status().keys?.first { $0.name == name }
    }
    try page.wait("document.querySelectorAll('.pad').length === 2")
    try page.wait("document.querySelectorAll('.party').length === 3")
    let bold = "document.querySelectorAll('.pad b, .party :not(.meter) > b').length"
    #expect(try page.value(of: bold) == "0")
    #expect(
      try page.value(of: "document.querySelector('.pad strong').textContent") == name)

    // Held, it talks as long; tapped, until the next tap.
    let lights = ".pad:nth-child(2)"
    try page.touch(lights)
    try page.wait("document.querySelector('\(lights)').dataset.tally === 'talk-listen'")
    #expect(try key("lights")?.isHeld == true)
    pause(seconds: 1.5)
    #expect(try key("lights")?.isHeld == true)
    try page.release()
    try page.wait("document.querySelector('\(lights)').dataset.tally === 'listen'")
    #expect(try key("lights")?.isLatched == false)
    try page.tap(lights)
    try page.wait("document.querySelector('\(lights).latched')")
    #expect(try key("lights")?.isLatched == true)
    try page.tap(lights)
    try page.wait("document.querySelector('\(lights)').dataset.tally === 'listen'")

    // A finger that gets lost at once is no tap.
    try page.touch(lights)
    try page.value(of: "dispatchEvent(new Event('blur'))")
    try page.wait("document.querySelector('\(lights)').dataset.tally === 'listen'")
    pause(seconds: 1.5)
    #expect(try key("lights").map { $0.isHeld || $0.isLatched } == false)
    try page.release()

    try page.tap(".party:last-child .hear")
    try page.wait("document.querySelector('.party:last-child.unheard')")
    _ = try stage.node.ask(.line(.listen(line: "lights", isOn: true)))
    try page.wait("!document.querySelector('.party:last-child.unheard')")
    try page.touch(lights)
    try stage.wait("lights is held") { $0.keys?.contains { $0.isHeld } == true }
    try page.close()
    // The key of line all is latched from the start.
    try stage.wait("nothing is held") { $0.keys?.contains { $0.isHeld } == false }
    #expect(try key("lights")?.isLatched == false)
  }

  @Test func `a change by the command line is on the page, and it is told how soon`() throws {
    let stage = try PageStage(others: 1)
    let page = try stage.page(.listen, name: "Anna")
    var delays: [Double] = []
    for round in 1...10 {
      try page.value(
        of: """
          (() => {
            globalThis.seen = new Promise((resolve) => {
              const output = document.querySelector('.talker output');
              const watch = new MutationObserver(() => {
                if (output.textContent !== '-\(round) dB') return;
                watch.disconnect();
                resolve(performance.timeOrigin + performance.now());
              });
              watch.observe(output, { childList: true, characterData: true, subtree: true });
            });
          })()
          """)
      let asked = Date().timeIntervalSince1970
      _ = try stage.node.ask(.gain(peer: "foh", decibels: -Double(round)))
      let seen = try #require(Double(try page.value(of: "globalThis.seen")))
      delays.append(seen - 1000 * asked)
    }
    delays.sort()
    print("page: a change is shown after \(delays[5]) ms, at most \(delays[9]) ms")
    #expect(delays[5] < 1000)
  }

  @Test func `a call is on the page, answered and cleared, and one is made there`() throws {
    let stage = try PageStage(others: 1)
    let other = stage.stations[1].node
    let page = try stage.page(.talk, name: "Anna")
    func press(_ word: String) throws {
      let button =
        "[...document.querySelectorAll('.list .known button')]"
        + ".find((one) => one.textContent === '\(word)')"
      try page.wait("\(button)?.disabled === false")
      try page.value(of: "\(button).click()")
    }
    _ = try other.ask(.call(.call(peer: "stage", line: nil, holder: nil)))
    try page.wait("document.querySelector('.list .known[data-level]')?.innerText.includes('foh')")
    try press("Reply")
    try stage.wait("foh is answered") { $0.calls?.incoming.first?.isAnswering == true }
    try page.wait("document.querySelector('.list .known .air')")
    try press("Reply")
    try stage.wait("the reply is over") { $0.calls?.incoming.first?.isAnswering != true }
    try press("Clear")
    try page.wait("!document.querySelector('.list .known')")

    try page.value(
      of: """
        [...document.querySelectorAll('.talker .fold button')]
          .find((one) => one.textContent === 'Call').click()
        """)
    try waitUntil("foh is called", within: 10) { () throws(RigError) in
      try other.status().calls?.incoming.first?.peer == "stage"
    }
    try press("End")
    try page.wait("!document.querySelector('.list .known')")
  }

  @Test func `settings are the node's, and a phone changes what it has the right to`() throws {
    let stage = try PageStage(others: 1)
    // One browser has one cookie: the last who signs in has what is opened from then on.
    _ = try stage.page(.listen, name: "Ben")
    let page = try stage.page(.admin, name: "Anna")
    try page.value(of: "location.hash = 'settings'")
    let choice =
      "[...document.querySelectorAll('.choice')].find((one) => one.innerText.startsWith('Noise')).control"
    try page.wait("\(choice).value === 'off'")
    try page.value(
      of: "(() => { \(choice).value = 'light'; \(choice).dispatchEvent(new Event('change')); })()")
    try stage.wait("noise is taken out") { $0.node.voice?.settings["suppress"] == "light" }
    // What is set elsewhere is shown, and what only some may asks first.
    _ = try stage.node.ask(.voice(changes: ["suppress": "strong"]))
    try page.wait("\(choice).value === 'strong'")
    let ben =
      "[...document.querySelectorAll('.known')].find((one) => one.innerText.includes('Ben'))"
    try page.wait(ben)
    try page.value(of: "\(ben).querySelector('button').click()")
    try page.value(of: "document.querySelector('dialog .danger').click()")
    try page.wait("!\(ben)")
    // What is chosen is told; this station's flag wins.
    try page.value(of: "document.querySelector('[placeholder=Name]').value = 'Küche'")
    try page.value(of: "document.querySelector('[placeholder=Name]').form.requestSubmit()")
    try page.wait("document.querySelector('.notice').innerText.includes('as --name has it, holds')")
    // Nothing would start it again: it says so and stays.
    try page.value(of: "[...document.querySelectorAll('.card > .danger')].at(-1).click()")
    try page.value(of: "document.querySelector('dialog .danger').click()")
    try page.wait(
      "document.querySelector('.notice').innerText.includes('does not run as a service')")
    // A battery that runs low is told of.
    for percent in [19, 9] {
      try page.value(
        of: """
          import("/link.js").then(({ link, changed }) => {
            link.model.node.battery = { percent: \(percent), isPlugged: false };
            changed();
          })
          """)
      try page.wait(
        "document.querySelector('.notice').innerText.includes('Battery of the station at \(percent) %')"
      )
    }
    #expect(
      try page.value(of: "document.querySelector('.battery').innerText").contains("station 9 %"))
    // The network is drawn, and the doctor says what is wrong, also to who may only look.
    try page.value(of: "location.hash = 'health'")
    try page.wait(
      "document.querySelectorAll('canvas')[1].ariaLabel?.includes('foh') && document.querySelector('.finding')"
    )
    // Without the right everything is seen and nothing can be changed.
    _ = try stage.node.ask(.pageRevoke(session: nil))
    let other = try stage.page(.listen, name: "Cleo")
    try other.value(of: "location.hash = 'settings'")
    try other.wait("\(choice).value === 'strong' && \(choice).disabled")
    #expect(
      try other.value(
        of: "document.querySelectorAll('.scroll :is(button, input, select):enabled').length") == "1"
    )
  }

  @Test func `a browser that does not trust the crew does not open the page`() throws {
    let stage = try PageStage(others: 0)
    let strange = try TemporaryDirectory(prefix: "comlink-page")
    let browser = try Browser(trusting: nil, in: strange)
    #expect {
      _ = try browser.open(try stage.invitation())
    } throws: { error in
      "\(error)".contains("ERR_CERT_AUTHORITY_INVALID")
    }
  }
}

/// Where the pictures go; nil: none are wanted.
private let shotsFolder = ProcessInfo.processInfo.environment["COMLINK_PAGE_SHOTS"]

/// Pictures of each view, for people: `./dev page shots`.
@Suite(
  .serialized, .enabled(if: shotsFolder != nil, "COMLINK_PAGE_SHOTS names no folder"))
struct PageShots {
  @Test func `pictures of each view, upright and across`() throws {
    let folder = try #require(shotsFolder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let stage = try PageStage(others: 3)
    let page = try stage.page(name: "Anna")
    func shoot(_ name: String) throws {
      for (width, height) in [(390, 844), (844, 390)] {
        try page.resize(width: width, height: height)
        pause(seconds: 0.5)
        try page.screenshot("\(folder)/\(name)-\(width)x\(height).png")
      }
    }
    // Levels and qualities have come.
    _ = try stage.node.ask(.talk(isOn: false))
    try page.wait("document.querySelector('.talker.talking')")
    pause(seconds: 4)
    try shoot("talk")
    try page.tap(".key")
    try page.tap(".talker .more")
    try page.wait("document.querySelector('.key.latched[data-tally^=talk]')")
    try shoot("talk-on-air")
    try page.tap(".key")
    let lines = ["lights", "sound", "wings"]
    for line in lines { _ = try stage.node.ask(.line(.new(line: line))) }
    pause(seconds: 1)
    for line in lines { _ = try stage.stations[1].node.ask(.line(.join(line: line))) }
    _ = try stage.stations[1].node.ask(.key(.tap(key: "wings")))
    try page.wait("document.querySelector('.pad.present')")
    try page.tap(".pad:nth-child(2)")
    try page.wait("document.querySelector('.pad.latched')")
    try shoot("talk-lines")
    try page.tap(".pad:nth-child(2)")
    try page.value(of: "location.hash = 'stations'")
    try page.wait("document.querySelector('.station')")
    pause(seconds: 1)
    try shoot("stations")
    try page.value(of: "document.querySelector('.station .more').click()")
    try page.value(of: "[...document.querySelectorAll('.own ~ .card button')][0].click()")
    try shoot("stations-open")
    try shootMessages(stage, page, shoot)
    try page.value(of: "location.hash = 'settings'")
    try page.wait("document.querySelector('.choice')")
    try shoot("settings")
    try page.value(of: "location.hash = 'health'")
    try page.wait("document.querySelector('.finding')")
    try shoot("health")
    for view in ["captions", "assistant"] {
      try page.value(of: "location.hash = '\(view)'")
      try page.wait("document.body.dataset.view === '\(view)'")
      try shoot(view)
    }
    let stranger = try stage.browser.open(
      String(try stage.invitation().split(separator: "#")[0]))
    _ = try stage.node.ask(.pageRevoke(session: nil))
    try stranger.go(to: String(try stage.invitation().split(separator: "#")[0]))
    try stranger.wait("document.querySelector('form.signin')")
    try stranger.screenshot("\(folder)/sign-in-390x844.png")
    try stranger.go(to: try stage.trustAddress)
    try stranger.screenshot("\(folder)/trust-390x844.png")
  }

  private func shootMessages(
    _ stage: PageStage, _ page: BrowserPage, _ shoot: (String) throws -> Void
  ) throws {
    _ = try stage.node.ask(.say(to: "foh", text: "Strike the table after this act"))
    _ = try stage.stations[1].node.ask(.say(to: "stage", text: "It is on its way"))
    try page.value(of: "location.hash = 'messages'")
    try page.wait("document.querySelector('.messages li .count:not(:empty)')")
    try shoot("messages")
    try page.value(of: "document.querySelector('.messages li > button').click()")
    try page.wait("document.querySelectorAll('.message').length === 2")
    try shoot("messages-open")
  }
}
