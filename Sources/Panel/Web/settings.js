import { button, card, el, isolate, makeChoice, makeEntry, makeRows, nameOf, say, sure } from "./dom.js";
import { words } from "./words.js";

const texts = words.settings;

const ifSure = (question, word, act) => async () => { if (await sure(question, word, words.sure.no)) act(); };

function makeVoice(desk) {
	const choices = Object.entries(texts.voice).map(([name, [label, options]]) => [name, makeChoice(
		label, options.split(" "),
		async (value) => { await desk.ask("voice", { settings: { [name]: value } }); update(); })]);
	const update = () => {
		const settings = desk.link.model.node.voice?.settings ?? {};
		for (const [name, choice] of choices) choice.show(settings[name]);
	};
	return { element: card(texts.voiceTitle, ...choices.map(([, choice]) => choice)), update };
}

function makeRecording(desk) {
	const state = el("p", { role: "status" });
	const start = makeEntry(texts.folder, texts.record, (directory) => desk.ask(
		"record-start", { recording: { directory, peers: true, mix: true } }));
	const stop = button(texts.stop, () => desk.ask("record-stop"), "danger");
	const update = () => {
		const { isRunning, path, seconds } = desk.link.model.recording ?? {};
		start.hidden = isRunning ?? false;
		stop.hidden = !start.hidden;
		say(state, isRunning ? texts.recording(path, Math.round(seconds)) : path ? texts.recorded(path) : "");
	};
	return { element: card(texts.takes, state, start, stop), update };
}

function makeAccess(desk) {
	const list = el("ul");
	const look = async () => {
		const answer = await desk.ask("page-list");
		if (answer) show(answer.pageSessions.map((one) => [one.id, one]));
	};
	const revoke = async (session) => {
		await desk.ask("page-revoke", { session });
		look();
	};
	const show = makeRows(list, (id, { name, rights }) => ({ element: el(
		"li.known", el("span.line", nameOf(name), el("small", words.rights[rights])),
		button(texts.revoke, ifSure(texts.revokeSure(isolate(name)), texts.revoke, () => revoke(id)), "quiet")) }));
	return { element: card(texts.access, list), look };
}

export function makeSettings(desk, power) {
	const { link } = desk;
	const station = el("small");
	const saving = el("input", { type: "checkbox", checked: link.isSaving, onchange: () => power.save(saving.checked) });
	const [voice, recording, access] = [makeVoice(desk), makeRecording(desk), makeAccess(desk)];
	const newLine = makeEntry(texts.newLine, texts.add, (line) => desk.ask("line-new", { line }));
	const restart = button(texts.restart, ifSure(texts.restartSure, texts.restart, async () => {
		const answer = await desk.ask("restart");
		if (answer) desk.tell(answer.note);
	}), "danger");
	const operators = el("div", voice, card(words.lines.title, newLine));
	const admins = el("div.column", recording, access, card(texts.service, station, el("small", texts.file), restart));
	const element = el(
		"section.scroll",
		el("div.column", card(texts.phone, el("label.check", saving, texts.saving)), operators), admins);

	const update = () => {
		const { model } = link;
		if (!model?.node) return;
		voice.update();
		recording.update();
		say(station, `${model.node.name} · ${words.stations.version(model.node.version)} · ${model.node.listen}`);
		for (const [right, part] of [["operate", operators], ["admin", admins]]) {
			desk.allow(right, ...part.querySelectorAll("button, input, select"));
		}
	};
	const show = () => { if (desk.may("admin") && link.state === "connected") access.look(); };
	return { element, update, show };
}
