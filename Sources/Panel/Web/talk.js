// Talk: the keys, the microphone's meter, the lines, and who is here.
import { Meter, Rows, Slider, el, isolate, setAttribute, setText } from "./dom.js";
import { KeyGrid, buzz, clickTime, talkKey } from "./keys.js";
import { LineList } from "./lines.js";
import { words } from "./words.js";

/** A press shorter than that stays on, unless the key says otherwise (milliseconds). */
const usualLatch = 200;
/** A finger that goes that far aside while it holds makes the key stay on (CSS pixels). */
const slideLength = 42;
/** The station releases a held key when nothing comes for a second. */
const beatTime = 300;
/** As many beats may wait for their answer: a network that stands still is not sent more. */
const beatLimit = 3;
/** So long after its press the key shows that it is open, even over a slow network (milliseconds). */
const shownTime = 1500;
/** Louder than that somebody speaks (dBFS). */
const speechLevel = -38;

/**
 * The talk key: opens at once; held longer than a tap it closes with the finger, after a tap or a slide it stays open.
 * States: off → held (pressed) → off or latched → off at the next press.
 */
export class TalkKey {
  constructor(desk) {
    this.desk = desk;
    this.state = "off";
    this.latch = usualLatch;
    [this.pointer, this.ended] = [null, -Infinity];
    this.label = el("strong", {}, words.talk.button);
    this.hint = el("small", {}, words.talk.off);
    this.element = el("button", {
      class: "key", ariaPressed: "false", ariaDescribedby: "keyhint", dataState: "off",
      onpointerdown: (event) => this.#down(event),
      onpointermove: (event) => this.#move(event),
      onpointerup: (event) => this.#end(event, () => this.#up()),
      onpointercancel: (event) => this.#end(event, () => this.lose()),
      onlostpointercapture: (event) => this.#end(event, () => this.lose()),
      oncontextmenu: (event) => event.preventDefault(),
      onkeydown: (event) => this.#key(event, true),
      onkeyup: (event) => this.#key(event, false),
      onblur: () => { if (this.pointer === null) this.lose(); },
      onclick: () => this.#click(),
    }, this.label, this.hint);
    this.hint.id = "keyhint";
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.lose(); });
    document.addEventListener("freeze", () => this.lose());
    for (const event of ["pagehide", "blur"]) addEventListener(event, () => this.lose());
    desk.link.addEventListener("state", () => { if (desk.link.state !== "connected") this.lose(); });
  }

  /** Shows what the station says, unless a finger is on the key; `key`: the one that it stands for. */
  update(isOpen, key, isAlone) {
    this.isKnown = this.desk.link.state === "connected";
    const may = this.desk.may("talk") && this.isKnown;
    this.latch = key?.latchMilliseconds ?? usualLatch;
    setAttribute(this.element, "aria-disabled", may ? null : "true");
    if (this.state === "held" && !isOpen && performance.now() - this.pressed > shownTime) {
      // The station has let go: the network stood still for too long.
      clearInterval(this.beat);
      buzz([60, 40, 60]);
      this.state = "off";
    }
    if (this.state !== "held") this.state = isOpen && this.isKnown ? "latched" : "off";
    this.element.classList.toggle("present", this.isKnown && (key?.isPresent ?? false));
    setText(this.label, isAlone ? words.talk.button : words.talk.all);
    this.#show();
  }

  /** The finger is gone: the page, the pointer or the station. */
  lose() {
    this.pointer = null;
    clearInterval(this.beat);
    if (this.state === "held") this.#set("off", false);
  }

  #show() {
    setAttribute(this.element, "data-state", this.state);
    setAttribute(this.element, "aria-pressed", this.state !== "off");
    const hint = this.state === "off" && this.latch === 0 ? words.talk.hold : words.talk[this.state];
    const known = this.isKnown ? hint : words.talk.unknown;
    setText(this.hint, this.desk.may("talk") ? known : words.talk.forbidden);
  }

  #down(event) {
    if (event.button > 0 || this.pointer !== null) return;
    this.pointer = event.pointerId;
    this.start = event.clientX;
    try { this.element.setPointerCapture(event.pointerId); } catch { /* A pointer that is gone. */ }
    this.#press();
  }

  #move(event) {
    if (event.pointerId !== this.pointer || this.latch === 0 || this.state !== "held") return;
    if (Math.abs(event.clientX - this.start) > slideLength) this.#latch();
  }

  #end(event, how) {
    if (event.pointerId !== this.pointer) return;
    [this.pointer, this.ended] = [null, performance.now()];
    how();
  }

  /** By what has neither finger nor keyboard, such as a screen reader. */
  #click() {
    if (this.pointer !== null || performance.now() - this.ended < clickTime) return;
    if (this.element.getAttribute("aria-disabled")) return;
    if (this.state === "latched") this.#set("off", false);
    else if (this.latch > 0) this.#latch();
  }

  #key(event, isDown) {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (event.repeat) return;
    if (isDown) this.#press();
    else this.#up();
  }

  #press() {
    if (this.element.getAttribute("aria-disabled")) return;
    if (this.state === "latched") return this.#set("off", false);
    this.pressed = performance.now();
    buzz(20);
    this.#set("held", true);
    clearInterval(this.beat);
    let waiting = 0;
    const answered = () => { waiting -= 1; };
    this.beat = setInterval(() => {
      if (waiting >= beatLimit) return;
      waiting += 1;
      this.desk.link.ask({ request: "version" }).then(answered, answered);
    }, beatTime);
  }

  #up() {
    if (this.state !== "held") return;
    if (performance.now() - this.pressed < this.latch) this.#latch();
    else this.lose();
  }

  #latch() {
    clearInterval(this.beat);
    buzz([20, 40, 20]);
    this.#set("latched", true);
  }

  #set(state, isOpen) {
    this.state = state;
    this.#show();
    this.desk.ask({ request: "talk", on: isOpen, held: state === "held" });
  }
}

class TalkerRow {
  constructor(desk, key, peer) {
    this.desk = desk;
    this.meter = new Meter(peer.name);
    this.name = el("strong", { dir: "auto" });
    this.detail = el("small", {});
    this.dot = el("span", { class: "dot", ariaHidden: "true" });
    this.mute = el("button", { class: "tool mute", onclick: () => this.#ask("mute", { on: !this.peer.isMuted }) });
    this.more = el("button", {
      class: "tool more", ariaLabel: words.talk.moreOf(isolate(peer.name)), ariaExpanded: "false", onclick: () => this.#unfold(),
    });
    this.level = new Slider(words.talk.levelOf(isolate(peer.name)), words.talk.level, {
      min: -30, max: 18, step: 1, text: words.talk.decibels,
      send: (decibels) => this.#ask("gain", { decibels }),
    });
    this.place = new Slider(words.talk.placeOf(isolate(peer.name)), words.talk.place, {
      min: -1, max: 1, step: 0.1, text: words.talk.pan,
      send: (position) => this.#ask("pan", { position }),
    });
    this.fold = el(
      "div", { class: "fold", hidden: true }, this.level.element, this.place.element);
    this.element = el(
      "li", { class: "talker" }, this.dot,
      el("div", { class: "who" }, el("span", { class: "line" }, this.name, this.detail), this.meter.element),
      this.mute, this.more, this.fold);
  }

  #ask(request, fields) {
    return this.desk.ask({ request, peer: this.peer.id ?? this.peer.name, ...fields });
  }

  #unfold() {
    this.fold.hidden = !this.fold.hidden;
    setAttribute(this.more, "aria-expanded", !this.fold.hidden);
  }

  update(peer) {
    this.peer = peer;
    setText(this.name, peer.name);
    const marks = [
      peer.isTalking && words.talk.talking, peer.isRecording && words.talk.recording,
      peer.isLoopingBack && words.talk.loopBack, peer.role,
      peer.state !== "connected" && words.stations.states[peer.state],
    ];
    setText(this.detail, marks.filter(Boolean).join(", "));
    const colour = /^[0-9a-f]{6}$/i.test(peer.colour ?? "") ? `#${peer.colour}` : "";
    if (this.dot.style.backgroundColor !== colour) this.dot.style.backgroundColor = colour;
    this.element.classList.toggle("talking", peer.isTalking);
    this.element.classList.toggle("muted", peer.isMuted);
    this.meter.show(peer.levelDBFS);
    setAttribute(this.mute, "aria-pressed", peer.isMuted);
    setAttribute(this.mute, "aria-label", words.talk.mute(isolate(peer.name)));
    const may = this.desk.may("operate");
    for (const control of [this.mute, this.level.input, this.place.input]) control.disabled = !may;
    this.level.show(Math.round(peer.gainDecibels));
    this.place.show(Math.round(peer.pan * 10) / 10);
  }
}

export class TalkView {
  constructor(desk) {
    this.desk = desk;
    this.key = new TalkKey(desk);
    this.keys = new KeyGrid(desk);
    this.lines = new LineList(desk);
    this.meter = new Meter(words.talk.microphone);
    this.title = el("h2", {}, words.talk.talkers);
    this.list = el("ul", { class: "talkers", ariaLabel: words.talk.talkers });
    this.nobody = el("p", { class: "empty" }, words.talk.nobody);
    this.rows = new Rows(this.list, (key, peer) => new TalkerRow(desk, key, peer));
    this.loudSince = 0;
    this.element = el(
      "section", { class: "talk" },
      el("div", { class: "list" }, this.lines.element, this.title, this.list, this.nobody),
      el("div", { class: "desk" },
        el("div", { class: "mic" }, el("small", {}, words.talk.microphone), this.meter.element), this.keys.element,
        this.key.element));
  }

  update() {
    const { link } = this.desk;
    const { node, keys = [], lines = [] } = link.model ?? {};
    const own = talkKey(keys);
    const others = keys.filter((key) => key !== own);
    const isOpen = own?.tally.startsWith("talk") ?? node?.talk ?? false;
    this.key.element.hidden = keys.length > 0 && !own;
    this.key.update(isOpen, own, others.length === 0);
    this.keys.update(others);
    this.lines.update(lines);
    this.title.hidden = this.lines.element.hidden;
    this.meter.show(node?.micLevelDBFS, node?.micPeakDBFS);
    this.rows.show(link.peers);
    this.nobody.hidden = link.peers.length > 0 || !node;
    this.#hint(node, isOpen || keys.some((key) => key.tally.startsWith("talk")));
  }

  hide() {
    this.key.lose();
    this.keys.lose();
    this.desk.hint = "";
    this.desk.show();
  }

  /** Who speaks into a closed microphone is told so. */
  #hint(node, isTalking) {
    const now = performance.now();
    const isLoud = node && !isTalking && node.micLevelDBFS > speechLevel;
    if (isLoud) this.loudSince ||= now;
    if (isLoud) this.loudLast = now;
    if (isTalking || now - (this.loudLast ?? 0) > 3000) this.loudSince = 0;
    const hint = this.loudSince && now - this.loudSince > 400 ? words.talk.muted : "";
    if (hint === (this.desk.hint ?? "")) return;
    this.desk.hint = hint;
    this.desk.show();
  }
}
