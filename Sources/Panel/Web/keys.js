// The node's keys: a grid of large targets with a lamp each. What a press does the station decides.
import { el, flag, isolate, makeRows, mark, nameOf, now, say } from "./dom.js";
import { words } from "./words.js";

const texts = words.keys;
const [beatTime, beatLimit] = [300, 3];
const shownTime = 700;
const clickTime = 500;
const slideLength = 42;

const buzz = (time) => navigator.vibrate?.(time);

export const talks = ["talk", "talk-listen", "talk-force-listen", "dual", "force-talk-force-listen"];

// The key of the line `all`, which `talk` switches; undefined: there is none that a talk button can stand for.
export function talkKey(keys) {
	const ofAll = keys.filter((key) => key.lines.length === 1 && key.lines[0] === "all");
	const one = ofAll.find((key) => key.name === "all") ?? ofAll[0];
	return talks.slice(0, 3).includes(one?.activation) ? one : undefined;
}

// 16 hexadecimal digits.
export const randomName = () => crypto.randomUUID().replace(/-/g, "").slice(16);

function beat(send) {
	let waiting = 0;
	const answered = () => { waiting -= 1; };
	const timer = setInterval(() => {
		if (waiting >= beatLimit) return;
		waiting += 1;
		send().then(answered, answered);
	}, beatTime);
	return () => clearInterval(timer);
}

function whenLost({ link }, lose) {
	document.addEventListener("visibilitychange", () => { if (document.hidden) lose(); });
	document.addEventListener("freeze", lose);
	for (const event of ["pagehide", "blur"]) addEventListener(event, lose);
	link.addEventListener("state", () => { if (link.state !== "connected") lose(); });
}

// What this page holds, a holder a finger. The station takes a short press for a tap, by when messages arrive: so a long
// one is never told as short, and of one that got lost no release is sent.
class Fingers {
	#down = new Map();

	constructor(desk) { this.desk = desk; }

	isDown(name) { return this.#down.get(name)?.isUp === false; }

	isTaken(name) { return this.isDown(name) && this.#down.get(name).taken !== undefined; }

	press(key) {
		if (this.#down.has(key.name)) return;
		const holder = randomName();
		const finger = { key, holder, pressed: now(), isUp: false };
		this.#down.set(key.name, finger);
		finger.answer = this.desk.pass("key-press", { key: key.name, holder }).then(
			() => { finger.taken = now(); },
			(error) => {
				this.#forget(finger);
				if (error.message) this.desk.tell(error.message);
			}).then(() => this.desk.changed());
		finger.stop = beat(() => this.desk.pass("key-hold", { holder }));
	}

	async release(name) {
		const finger = this.#down.get(name);
		if (!finger || finger.isUp) return;
		finger.isUp = true;
		const latch = finger.key.latchMilliseconds;
		if (now() - finger.pressed >= latch) {
			await finger.answer;
			await new Promise((resolve) => setTimeout(resolve, (finger.taken ?? 0) + latch - now()));
		}
		this.#letGo(finger);
	}

	lose(name) {
		const finger = this.#down.get(name);
		if (!finger) return;
		this.desk.guest.lose(name);
		if ((now() - finger.taken || 0) >= finger.key.latchMilliseconds) this.#letGo(finger);
		else this.#forget(finger);
	}

	stay(name) { this.#letGo(this.#down.get(name)); }

	loseAll() { for (const name of [...this.#down.keys()]) this.lose(name); }

	compare(key) {
		const finger = this.#down.get(key.name);
		if (finger?.taken === undefined || key.isHeld || now() - finger.taken < shownTime) return;
		this.#forget(finger);
		buzz([60, 40, 60]);
	}

	#letGo(finger) {
		if (this.#forget(finger)) this.desk.ask("key-release", { key: finger.key.name, holder: finger.holder });
	}

	#forget(finger) {
		if (this.#down.get(finger.key.name) !== finger) return false;
		finger.stop?.();
		return this.#down.delete(finger.key.name);
	}
}

function holding({ press, release, lose, tap, move }) {
	let [pointer, ended, start] = [null, -Infinity, 0];
	const end = (how) => (event) => {
		if (event.pointerId !== pointer) return;
		[pointer, ended] = [null, now()];
		how();
	};
	const key = (how) => (event) => {
		if (event.key !== " " && event.key !== "Enter") return;
		event.preventDefault();
		if (!event.repeat) how();
	};
	return {
		onpointerdown: (event) => {
			// The first finger on the screen: one that was here before is gone, though nothing told so.
			if (event.button > 0 || (pointer !== null && !event.isPrimary)) return;
			[pointer, start] = [event.pointerId, event.clientX];
			try { event.currentTarget.setPointerCapture(pointer); } catch { /* A pointer that is gone. */ }
			press();
		},
		onpointermove: (event) => { if (event.pointerId === pointer) move?.(Math.abs(event.clientX - start)); },
		onpointerup: end(release),
		onpointercancel: end(lose),
		onlostpointercapture: end(lose),
		oncontextmenu: (event) => event.preventDefault(),
		onkeydown: key(press),
		onkeyup: key(release),
		onblur: () => { if (pointer === null) lose(); },
		onclick: () => { if (pointer === null && now() - ended > clickTime) tap(); },
	};
}
function makePad(desk, fingers, isMain) {
	let [key, wasTalking] = [undefined, false];
	const [title, state, who] = [nameOf(""), el("small"), el("small.present", { dir: "auto" })];
	const ifMay = (how) => () => { if (key && !element.ariaDisabled) how(); };
	const lose = () => { if (key) fingers.lose(key.name); show(); };
	const move = (length) => {
		if (!isMain || length < slideLength || wasTalking || !key.latchMilliseconds || !fingers.isDown(key.name)) return;
		buzz([20, 40, 20]);
		desk.ask("talk", { on: true });
		fingers.stay(key.name);
	};
	const element = el(
		isMain ? "button.key" : "button.pad", holding({
			press: ifMay(() => { buzz(20); fingers.press(key); show(); }),
			release: () => { fingers.release(key?.name); show(); },
			tap: ifMay(() => desk.ask("key-tap", { key: key.name })), lose, move,
		}), el("i.lamp"), title, state, who);

	function show() {
		const { name = "", tally: lamp = "", lines = [], talkers = [] } = key ?? {};
		const isDown = fingers.isDown(name);
		const isOpening = fingers.isTaken(name) && talks.includes(key.activation) && key.isHeld === false && !wasTalking;
		if (!isDown) wasTalking = lamp.startsWith("talk");
		const isKnown = key !== undefined && desk.link.state === "connected";
		const may = desk.may("talk");
		const tally = !isKnown ? "" : isOpening ? (lamp === "listen" ? "talk-listen" : "talk") : lamp;
		const isTalking = tally.startsWith("talk");
		const isLatched = isKnown && key.isLatched;
		const isPresent = isKnown && key.isPresent;
		mark(element, "aria-disabled", may && isKnown ? null : "true");
		mark(element, "data-tally", tally);
		mark(element, "aria-pressed", isTalking || isLatched || (isKnown && isDown));
		flag(element, { down: isDown, latched: isLatched, present: isPresent });
		if (isMain) {
			const open = isDown ? "held" : "latched";
			const word = isTalking ? open : key?.latchMilliseconds === 0 ? "hold" : "off";
			return say(state, words.talk[!isKnown ? "unknown" : may ? word : "forbidden"]);
		}
		const isOpenForGood = isLatched && isTalking;
		const word = isKnown ? texts.tally[tally] ?? tally : words.talk.unknown;
		say(state, isOpenForGood ? texts.short : word);
		say(who, isPresent ? some(talkers) : "");
		const about = lines.length === 1 && lines[0] === name ? "" : texts.lines(some(lines));
		mark(element, "title", about || null);
		const said = [isolate(name), isOpenForGood ? texts.latched : word, about, isPresent && texts.talk(some(talkers))];
		mark(element, "aria-label", said.filter(Boolean).join(", "));
	}

	const update = (next, called = next.name) => {
		if (key && key.name !== next?.name) fingers.lose(key.name);
		key = next;
		if (key) fingers.compare(key);
		say(title, called);
		show();
	};
	return { element, update, end: lose };
}
export function some(names, most = 4) {
	const shown = names.slice(0, most).map(isolate).join(", ");
	return names.length > most ? words.more(shown, names.length - most) : shown;
}
export function makeKeys(desk) {
	const fingers = new Fingers(desk);
	const element = el("div.pads", { role: "group", ariaLabel: texts.title });
	const main = makePad(desk, fingers, true);
	const show = makeRows(element, () => makePad(desk, fingers));
	const lose = () => fingers.loseAll();
	whenLost(desk, lose);
	const update = (own, keys) => {
		main.element.hidden = keys.length > 0 && !own;
		main.update(own, keys.length === 0 ? words.talk.button : words.talk.all);
		element.hidden = keys.length === 0;
		flag(element, { many: keys.length > 6 });
		show(keys.map((key) => [key.name, key]));
	};
	return { element, main, update, lose };
}
