import { button, el, flag, isolate, makeFold, makeRows, makeSlider, mark, nameOf, say } from "./dom.js";
import { some } from "./keys.js";
import { words } from "./words.js";

const texts = words.lines;

function makeLine(desk, name) {
	let line;
	const called = isolate(name);
	const ask = (request, fields) => desk.ask(request, { line: name, ...fields });
	const detail = el("small", { dir: "auto" });
	const hear = el("button.tool.hear", {
		ariaLabel: texts.listen(called), onclick: () => ask("line-listen", { on: !line.isSetListening }),
	});
	const level = makeSlider(texts.level(called), words.talk.level, {
		min: -40, max: 12, step: 1, text: words.talk.decibels, send: (decibels) => ask("line-level", { decibels }),
	});
	const [join, leave] = ["join", "leave"].map((what) => button(texts[what], () => ask(`line-${what}`)));
	for (const one of [join, leave]) one.ariaLabel = `${one.textContent} ${called}`;
	const fold = makeFold(texts.more(called), level, leave);
	const element = el("li.party", el("span.lamp"), el("div.who", nameOf(name), detail), join, hear, fold.arrow, fold);

	const update = (next) => {
		line = next;
		const isBusy = line.talkers.length > 0;
		const parts = [
			line.isTalking && texts.youTalk, line.isListening && !line.isSetListening && texts.byKey,
			isBusy ? words.keys.talk(some(line.talkers)) : texts.with(some(line.members)),
		];
		say(detail, parts.filter(Boolean).join(", "));
		flag(element, { present: isBusy, live: line.isTalking, unheard: !line.isJoined || !line.isListening });
		mark(hear, "aria-pressed", line.isSetListening);
		join.hidden = line.isJoined;
		hear.hidden = fold.arrow.hidden = !line.isJoined;
		if (!line.isJoined) fold.close();
		leave.hidden = name === "all";
		desk.allow("operate", hear, join, leave, level.input);
		level.show(Math.round(line.levelDecibels));
	};
	return { element, update };
}

export function makeLines(desk) {
	const list = el("ul");
	const show = makeRows(list, (name) => makeLine(desk, name));
	const element = el("section", { ariaLabel: texts.title }, el("h2", texts.title), list);
	const update = (lines) => {
		element.hidden = lines.every((line) => line.name === "all" && line.isSetListening && line.levelDecibels === 0);
		show(element.hidden ? [] : lines.map((line) => [line.name, line]));
	};
	return { element, update };
}
