// Talk: the talk key, the microphone's meter, and who is here.
import { Meter, Rows, el, setAttribute, setText } from "./dom.js";
import { words } from "./words.js";

/** A press shorter than that stays on (milliseconds). */
const tapTime = 200;
/** A finger that goes that far aside while it holds makes the key stay on (CSS pixels). */
const slideLength = 42;
/** The station releases a held key when nothing comes for a second. */
const beatTime = 300;
/** Louder than that somebody speaks (dBFS). */
const speechLevel = -38;

const buzz = (time) => navigator.vibrate?.(time);

/**
 * The talk key: opens at once; held longer than a tap it closes with the finger, after a tap or a slide it stays open.
 * States: off → held (pressed) → off or latched → off at the next press.
 */
export class TalkKey {
  constructor(desk) {
    this.desk = desk;
    this.state = "off";
    this.label = el("strong", {}, words.talk.button);
    this.hint = el("small", {}, words.talk.off);
    this.element = el("button", {
      class: "key", ariaPressed: "false", ariaDescribedby: "keyhint", dataState: "off",
      onpointerdown: (event) => this.#down(event),
      onpointermove: (event) => this.#move(event),
      onpointerup: () => this.#up(),
      onpointercancel: () => this.#release(),
      oncontextmenu: (event) => event.preventDefault(),
      onkeydown: (event) => this.#key(event, true),
      onkeyup: (event) => this.#key(event, false),
      onblur: () => this.#release(),
    }, this.label, this.hint);
    this.hint.id = "keyhint";
    const leave = () => { if (document.hidden) this.#release(); };
    document.addEventListener("visibilitychange", leave);
    addEventListener("pagehide", () => this.#release());
  }

  /** Shows what the station says, unless a finger is on the key. */
  update(isOpen) {
    const may = this.desk.may("talk") && this.desk.link.state === "connected";
    setAttribute(this.element, "aria-disabled", may ? null : "true");
    if (this.state !== "held") this.state = isOpen ? "latched" : "off";
    setAttribute(this.element, "data-state", this.state);
    setAttribute(this.element, "aria-pressed", this.state !== "off");
    setText(this.hint, this.desk.may("talk") ? words.talk[this.state] : words.talk.forbidden);
  }

  #down(event) {
    if (event.button > 0) return;
    this.start = event.clientX;
    try { this.element.setPointerCapture(event.pointerId); } catch { /* A pointer that is gone. */ }
    this.#press();
  }

  #move(event) {
    if (this.state === "held" && Math.abs(event.clientX - this.start) > slideLength) this.#latch();
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
    if (this.state === "latched") {
      this.wasLatched = true;
      return this.#set("off", false);
    }
    this.wasLatched = false;
    this.pressed = performance.now();
    buzz(20);
    this.#set("held", true);
    clearInterval(this.beat);
    this.beat = setInterval(() => this.desk.link.ask({ request: "version" }).catch(() => {}), beatTime);
  }

  #up() {
    if (this.state !== "held") return;
    if (performance.now() - this.pressed < tapTime) this.#latch();
    else this.#release();
  }

  #latch() {
    clearInterval(this.beat);
    buzz([20, 40, 20]);
    this.#set("latched", true);
  }

  #release() {
    clearInterval(this.beat);
    if (this.state === "held") this.#set("off", false);
  }

  #set(state, isOpen) {
    this.state = state;
    this.update(isOpen);
    this.desk.ask({ request: "talk", on: isOpen, held: state === "held" });
  }
}

/** A slider that is not pulled away under the finger, and tells the station ten times a second at most. */
function slider(label, { min, max, step, text, send }) {
  let [touched, timer, wanted] = [0, 0, null];
  const tell = () => {
    timer = 0;
    if (wanted === null) return;
    send(wanted);
    wanted = null;
    timer = setTimeout(tell, 100);
  };
  const value = el("output", {});
  const input = el("input", {
    type: "range", min, max, step, ariaLabel: label,
    oninput: () => {
      touched = performance.now();
      wanted = Number(input.value);
      setText(value, text(wanted));
      setAttribute(input, "aria-valuetext", text(wanted));
      if (!timer) tell();
    },
  });
  return {
    element: el("label", { class: "slider" }, el("span", {}, label), input, value),
    input,
    show(number) {
      if (performance.now() - touched < 800) return;
      if (Number(input.value) !== number) input.value = number;
      setText(value, text(number));
      setAttribute(input, "aria-valuetext", text(number));
    },
  };
}

class TalkerRow {
  constructor(desk, key, peer) {
    this.desk = desk;
    this.meter = new Meter(peer.name);
    this.name = el("strong", {});
    this.detail = el("small", {});
    this.dot = el("span", { class: "dot", ariaHidden: "true" });
    this.mute = el("button", { class: "tool mute", onclick: () => this.#ask("mute", { on: !this.peer.isMuted }) });
    this.more = el("button", {
      class: "tool more", ariaLabel: words.talk.more, ariaExpanded: "false", onclick: () => this.#unfold(),
    });
    this.level = slider(words.talk.level, {
      min: -30, max: 18, step: 1, text: words.talk.decibels,
      send: (decibels) => this.#ask("gain", { decibels }),
    });
    this.place = slider(words.talk.place, {
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
    setAttribute(this.mute, "aria-label", `${peer.isMuted ? words.talk.unmute : words.talk.mute} ${peer.name}`);
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
    this.meter = new Meter(words.talk.microphone);
    this.list = el("ul", { class: "talkers", ariaLabel: words.talk.talkers });
    this.nobody = el("p", { class: "empty" }, words.talk.nobody);
    this.rows = new Rows(this.list, (key, peer) => new TalkerRow(desk, key, peer));
    this.loudSince = 0;
    this.element = el(
      "section", { class: "talk" },
      el("div", { class: "list" }, this.list, this.nobody),
      el("div", { class: "desk" }, el("div", { class: "mic" }, el("small", {}, words.talk.microphone), this.meter.element),
        this.key.element));
  }

  update() {
    const { link } = this.desk;
    const node = link.model?.node;
    this.key.update(node?.talk ?? false);
    this.meter.show(node?.micLevelDBFS, node?.micPeakDBFS);
    this.rows.show(link.peers);
    this.nobody.hidden = link.peers.length > 0 || !node;
    this.#hint(node);
  }

  hide() { this.desk.hint = ""; this.desk.show(); }

  /** Who speaks into a closed microphone is told so. */
  #hint(node) {
    const now = performance.now();
    const isLoud = node && !node.talk && node.micLevelDBFS > speechLevel;
    if (isLoud) this.loudSince ||= now;
    if (isLoud) this.loudLast = now;
    if (node?.talk || now - (this.loudLast ?? 0) > 3000) this.loudSince = 0;
    const hint = this.loudSince && now - this.loudSince > 400 ? words.talk.muted : "";
    if (hint === (this.desk.hint ?? "")) return;
    this.desk.hint = hint;
    this.desk.show();
  }
}
