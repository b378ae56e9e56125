import {
	button, el, flag, isolate, makeDot, makeFold, makeMeter, makeRows, makeSlider, mark, nameOf, now, say,
} from "./dom.js";
import { makeKeys, talkKey } from "./keys.js";
import { makeLines } from "./lines.js";
import { words } from "./words.js";

const texts = words.talk;
const speech = -38;

function makeTalker(desk, peer) {
	const [dot, meter, name, detail] = [makeDot(), makeMeter(peer.name), nameOf(peer.name), el("small")];
	const called = isolate(peer.name);
	const ask = (request, fields) => desk.ask(request, { peer: peer.id ?? peer.name, ...fields });
	const mute = el("button.tool.mute", { onclick: () => ask("mute", { on: !peer.isMuted }) });
	const level = makeSlider(texts.levelOf(called), texts.level, {
		min: -30, max: 18, step: 1, text: texts.decibels, send: (decibels) => ask("gain", { decibels }),
	});
	const place = makeSlider(texts.placeOf(called), texts.place, {
		min: -1, max: 1, step: 0.1, text: texts.pan, send: (position) => ask("pan", { position }),
	});
	const fold = makeFold(texts.moreOf(called), level, place);
	const element = el("li.talker", dot, el("div.who", el("span.line", name, detail), meter), mute, fold.arrow, fold);

	const update = (next) => {
		peer = next;
		say(name, peer.name);
		const marks = [
			peer.isTalking && texts.talking, peer.isRecording && texts.recording, peer.isLoopingBack && texts.loopBack,
			peer.effect, peer.role, peer.state !== "connected" && words.stations.states[peer.state],
		];
		say(detail, marks.filter(Boolean).join(", "));
		dot.update(peer.colour);
		flag(element, { talking: peer.isTalking, muted: peer.isMuted });
		meter.show(peer.levelDBFS);
		mark(mute, "aria-pressed", peer.isMuted);
		mark(mute, "aria-label", texts.mute(isolate(peer.name)));
		desk.allow("operate", mute, level.input, place.input);
		level.show(Math.round(peer.gainDecibels));
		place.show(Math.round(peer.pan * 10) / 10);
	};
	return { element, update };
}

function makeGuest({ name, of }) {
	const meter = makeMeter(name);
	const detail = el("small", words.guest.of(isolate(of)));
	const element = el("li.talker.guest", makeDot(), el("div.who", el("span.line", nameOf(name), detail), meter));
	const update = ({ isTalking, levelDBFS }) => {
		flag(element, { talking: isTalking });
		meter.show(levelDBFS);
	};
	return { element, update };
}

function makeGuestBar(desk) {
	const { guest } = desk;
	const main = button("", () => {
		if (guest.isAsleep) guest.context.resume();
		else if (guest.isOn) guest.stop();
		else guest.start();
	}, "phone");
	const plain = el("input", { type: "checkbox", onchange: () => { guest.isPlain = plain.checked; } });
	const output = button(words.guest.output, async () => {
		try {
			await guest.context.setSinkId((await navigator.mediaDevices.selectAudioOutput()).deviceId);
		} catch (error) {
			if (error.name !== "NotAllowedError") desk.tell(error.message);
		}
	}, "quiet");
	const more = el("div.line", el("label.check", plain, words.guest.plain), output);
	const element = el("div.phones", main, more);

	const update = () => {
		element.hidden = !desk.may("talk");
		const on = guest.isSeated ? "stop" : "connecting";
		say(main, words.guest[guest.isAsleep ? "wake" : { on, off: "start", starting: "starting" }[guest.state]]);
		mark(main, "aria-pressed", guest.isOn);
		flag(element, { on: guest.isOn && guest.isSeated && !guest.isAsleep });
		more.hidden = !guest.isOn;
		plain.checked = guest.isPlain;
		output.hidden = !navigator.mediaDevices?.selectAudioOutput || !guest.context?.setSinkId;
	};
	return { element, update };
}

function people({ model, peers }) {
	const all = [];
	const add = (guests, place, of) => {
		for (const guest of guests ?? []) all.push([`${place}/${guest.number ?? guest.name}`, { ...guest, of }]);
	};
	add(model?.guests, "", model?.node?.name ?? "");
	for (const [key, peer] of peers) {
		all.push([key, peer]);
		add(peer.guests, key, peer.name);
	}
	return all;
}

export function makeTalk(desk) {
	const { guest, link } = desk;
	const [grid, lines, bar] = [makeKeys(desk), makeLines(desk), makeGuestBar(desk)];
	const meter = makeMeter(texts.microphone);
	const [title, micTitle, nobody] = [el("h2", texts.talkers), el("small"), el("p.empty", texts.nobody)];
	const list = el("ul", { ariaLabel: texts.talkers });
	const rows = makeRows(list, (_, one) => (one.of === undefined ? makeTalker(desk, one) : makeGuest(one)));
	let [since, last] = [0, 0];
	const element = el(
		"section.talk", el("div.list", lines, title, list, nobody), el("div.desk", bar, el("div.mic", micTitle, meter), grid, grid.main));

	// A detector knows better than a level.
	const warn = (level, isTalking, isTold) => {
		if (!isTalking && level > speech) [since, last] = [since || now(), now()];
		if (isTalking || now() - last > 3000) since = 0;
		desk.hint = isTold ?? (since && now() - since > 400) ? texts.muted : "";
		desk.show();
	};
	const update = () => {
		const { node, lines: party = [], keys: all = [] } = link.model ?? {};
		const keys = guest.overlay(all);
		const own = talkKey(keys);
		grid.update(own, keys.filter((one) => one !== own));
		lines.update(party);
		title.hidden = lines.element.hidden;
		const level = guest.isOn ? guest.level : node?.micLevelDBFS;
		say(micTitle, (guest.isOn ? words.guest : texts).microphone);
		meter.show(level, guest.isOn ? level : node?.micPeakDBFS);
		bar.update();
		const here = people(link);
		rows(here);
		nobody.hidden = here.length > 0 || !node;
		const isTold = guest.isOn ? null : node?.voice?.isTalkingMuted;
		warn(level, keys.some((one) => one.tally.startsWith("talk")), isTold);
	};
	const hide = () => {
		grid.lose();
		desk.hint = "";
		desk.show();
	};
	return { element, update, hide };
}
