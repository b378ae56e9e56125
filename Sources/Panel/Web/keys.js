// The node's keys: a grid of large targets with a lamp each. What a press does the station decides.
import { Rows, el, isolate, setAttribute, setText } from "./dom.js";
import { words } from "./words.js";

/** The station lets go of what it hears nothing of for a second. */
const beatTime = 300;
/** As many beats may wait for their answer: a network that stands still is not sent more. */
const beatLimit = 3;
/** So long after its press was taken a key shows that it is held (milliseconds). */
const shownTime = 700;

/** A click that comes so soon after a pointer went up is that pointer's (milliseconds). */
export const clickTime = 500;

export const buzz = (time) => navigator.vibrate?.(time);

/** The activations whose key talks while it is open. */
const talks = ["talk", "talk-listen", "talk-force-listen", "dual", "force-talk-force-listen"];

/** The key of the line `all`, which `talk` switches; undefined: there is none that a talk button can stand for. */
export function talkKey(keys) {
  const ofAll = keys.filter((key) => key.lines.length === 1 && key.lines[0] === "all");
  const one = ofAll.find((key) => key.name === "all") ?? ofAll[0];
  return ["talk", "talk-listen", "talk-force-listen"].includes(one?.activation) ? one : undefined;
}

/**
 * What this page holds. Each finger is a holder of its own, so that the station can lose one and keep another.
 *
 * The station takes a press that was short for a tap, and measures where the messages arrive. So a finger that was long
 * there is never told as short, whatever the network did meanwhile, and one that got lost never latches: where its
 * release could be taken for a tap none is sent, and the station lets go of it by itself.
 */
class Fingers {
  #down = new Map();
  #count = 0;
  #timer = 0;

  constructor(desk) {
    this.desk = desk;
    const octets = crypto.getRandomValues(new Uint8Array(8));
    this.page = `page-${[...octets].map((octet) => octet.toString(16).padStart(2, "0")).join("")}`;
  }

  isDown(name) { return this.#down.has(name) && !this.#down.get(name).isUp; }

  /** Whether the station has taken the press. */
  isTaken(name) { return this.isDown(name) && this.#down.get(name).taken !== undefined; }

  press(key) {
    if (this.#down.has(key.name)) return;
    this.#count = (this.#count + 1) % 1000;
    const finger = {
      key, holder: `${this.page}-${this.#count}`, pressed: performance.now(), taken: undefined, isUp: false, beats: 0,
    };
    this.#down.set(key.name, finger);
    finger.answer = this.desk.link.ask({ request: "key-press", key: key.name, holder: finger.holder }).then(
      () => { finger.taken = performance.now(); },
      (error) => {
        this.#forget(finger);
        if (error.message) this.desk.tell(error.message);
      });
    finger.answer.then(() => this.desk.changed());
    if (!this.#timer) this.#timer = setInterval(() => this.#beat(), beatTime);
  }

  /** The finger was taken off. */
  async release(name) {
    const finger = this.#down.get(name);
    if (!finger || finger.isUp) return;
    finger.isUp = true;
    const latch = finger.key.latchMilliseconds;
    if (performance.now() - finger.pressed >= latch) {
      await finger.answer;
      await new Promise((resolve) => setTimeout(resolve, (finger.taken ?? 0) + latch - performance.now()));
    }
    this.#letGo(finger);
  }

  /** The finger got lost. */
  lose(name) {
    const finger = this.#down.get(name);
    if (!finger) return;
    const time = finger.taken === undefined ? 0 : performance.now() - finger.taken;
    if (time >= finger.key.latchMilliseconds) this.#letGo(finger);
    else this.#forget(finger);
  }

  loseAll() { for (const name of [...this.#down.keys()]) this.lose(name); }

  /** The station has let go of it: the network stood still for too long, or another took over. */
  compare(key) {
    const finger = this.#down.get(key.name);
    if (finger?.taken === undefined || key.isHeld || performance.now() - finger.taken < shownTime) return;
    this.#forget(finger);
    buzz([60, 40, 60]);
  }

  #beat() {
    for (const finger of this.#down.values()) {
      if (finger.beats >= beatLimit) continue;
      finger.beats += 1;
      const answered = () => { finger.beats -= 1; };
      this.desk.link.ask({ request: "key-hold", holder: finger.holder }).then(answered, answered);
    }
  }

  #letGo(finger) {
    if (!this.#forget(finger)) return;
    this.desk.ask({ request: "key-release", key: finger.key.name, holder: finger.holder });
  }

  /** Whether it was still known. */
  #forget(finger) {
    if (this.#down.get(finger.key.name) !== finger) return false;
    this.#down.delete(finger.key.name);
    if (this.#down.size > 0) return true;
    clearInterval(this.#timer);
    this.#timer = 0;
    return true;
  }
}

/** Listeners of a target that is held: by one pointer, by Space or Enter, or clicked by what a screen reader is. */
function holding({ press, release, lose, tap }) {
  let [pointer, ended] = [null, -Infinity];
  const end = (event, how) => {
    if (event.pointerId !== pointer) return;
    [pointer, ended] = [null, performance.now()];
    how();
  };
  const key = (how) => (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (!event.repeat) how();
  };
  return {
    onpointerdown: (event) => {
      if (event.button > 0 || pointer !== null) return;
      pointer = event.pointerId;
      try { event.currentTarget.setPointerCapture(pointer); } catch { /* A pointer that is gone. */ }
      press();
    },
    onpointerup: (event) => end(event, release),
    onpointercancel: (event) => end(event, lose),
    onlostpointercapture: (event) => end(event, lose),
    oncontextmenu: (event) => event.preventDefault(),
    onkeydown: key(press),
    onkeyup: key(release),
    onblur: () => { if (pointer === null) lose(); },
    onclick: () => { if (pointer === null && performance.now() - ended > clickTime) tap(); },
  };
}

/** A key: its name, what it does in a word, and who talks there. */
class Pad {
  constructor(desk, fingers, name) {
    this.desk = desk;
    this.fingers = fingers;
    this.name = name;
    this.title = el("strong", { dir: "auto" }, name);
    this.state = el("small", {});
    this.who = el("small", { class: "present", dir: "auto" });
    const ifMay = (how) => () => { if (!this.element.getAttribute("aria-disabled")) how(); };
    this.element = el(
      "button",
      {
        class: "pad", ariaPressed: "false",
        ...holding({
          press: ifMay(() => { buzz(20); fingers.press(this.key); this.#show(); }),
          release: () => { fingers.release(name); this.#show(); },
          lose: () => { fingers.lose(name); this.#show(); },
          tap: ifMay(() => desk.ask({ request: "key-tap", key: name })),
        }),
      },
      el("i", { class: "lamp", ariaHidden: "true" }), this.title, this.state, this.who);
  }

  update(key) {
    this.key = key;
    this.fingers.compare(key);
    this.#show();
  }

  /** It is no key any more. */
  end() { this.fingers.lose(this.name); }

  #show() {
    const { key, desk, element } = this;
    const isDown = this.fingers.isDown(key.name);
    const isTalking = key.tally.startsWith("talk");
    // What the station took is shown before the next picture of it comes.
    const isOpening = this.fingers.isTaken(key.name) && talks.includes(key.activation) && key.isHeld === false
      && !this.wasTalking;
    if (!isDown) this.wasTalking = isTalking;
    const isKnown = desk.link.state === "connected";
    const may = desk.may("talk") && isKnown;
    const tally = !isKnown ? "" : isOpening ? (key.tally === "listen" ? "talk-listen" : "talk") : key.tally;
    setAttribute(element, "aria-disabled", may ? null : "true");
    setAttribute(element, "data-tally", tally);
    setAttribute(element, "aria-pressed", isKnown && (tally.startsWith("talk") || key.isLatched || isDown));
    element.classList.toggle("down", isDown);
    element.classList.toggle("latched", isKnown && key.isLatched);
    element.classList.toggle("present", isKnown && key.isPresent);
    const isOpenForGood = key.isLatched && tally.startsWith("talk");
    const state = isKnown ? words.keys.tally[tally] ?? tally : words.keys.unknown;
    setText(this.state, isOpenForGood ? words.keys.short : state);
    const who = isKnown && key.isPresent ? some(key.talkers) : "";
    setText(this.who, who);
    const lines = key.lines.length === 1 && key.lines[0] === key.name ? "" : words.keys.lines(some(key.lines));
    setAttribute(element, "title", lines || null);
    const said = [
      isolate(key.name), isOpenForGood ? words.keys.latched : state, lines, who && words.keys.talk(who),
    ];
    setAttribute(element, "aria-label", said.filter(Boolean).join(", "));
  }
}

/** Names in a row, the first of many. */
export function some(names, most = 4) {
  const shown = names.slice(0, most).map(isolate).join(", ");
  return names.length > most ? words.more(shown, names.length - most) : shown;
}

/** The grid. */
export class KeyGrid {
  constructor(desk) {
    this.fingers = new Fingers(desk);
    this.element = el("div", { class: "pads", role: "group", ariaLabel: words.keys.title });
    this.rows = new Rows(this.element, (name) => new Pad(desk, this.fingers, name));
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.lose(); });
    document.addEventListener("freeze", () => this.lose());
    for (const event of ["pagehide", "blur"]) addEventListener(event, () => this.lose());
    desk.link.addEventListener("state", () => { if (desk.link.state !== "connected") this.lose(); });
  }

  update(keys) {
    this.element.hidden = keys.length === 0;
    // Room for a finger that scrolls, which on a key talks.
    this.element.classList.toggle("many", keys.length > 6);
    this.rows.show(keys.map((key) => [key.name, key]));
  }

  /** Nobody has a finger on a key of this page any more. */
  lose() { this.fingers.loseAll(); }
}
