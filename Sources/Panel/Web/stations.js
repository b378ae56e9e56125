// Stations: who asks, who is here, who is known; letting in, keeping out, pairing.
import {
	button, buttons, card, el, isolate, makeDot, makeFold, makeMeter, makeRows, mark, nameOf, say, sure,
} from "./dom.js";
import { words } from "./words.js";

const texts = words.stations;

function quality({ state, quality: value, qualityReason: reason }) {
	if (state !== "connected") return texts.states[state] ?? state;
	if (value === undefined) return texts.noQuality;
	const word = texts.quality[Math.max(0, Math.min(5, Math.round(value)))];
	return reason && value < 4 ? `${word}: ${reason}` : word;
}

function figures({ roundTripMilliseconds: time, lossPercent: loss }) {
	const parts = [time !== undefined && texts.latency(Math.round(time)), loss >= 0.1 && texts.loss(loss.toFixed(1))];
	return parts.filter(Boolean).join(", ");
}

function makeStation(desk, view, peer) {
	const [dot, meter, name] = [makeDot(), makeMeter(peer.name), nameOf(peer.name)];
	const [role, how, rest, id] = [el("small"), el("p.quality"), el("small"), el("small")];
	const block = button(texts.block, () => view.act("block", peer), "danger");
	const fold = makeFold(texts.actions, id, buttons(block));
	const element = el(
		"li.station", dot, el("div.who", el("span.line", name, role), meter, el("span.line", how, rest)), fold.arrow, fold);

	const update = (next) => {
		peer = next;
		say(name, peer.name);
		say(role, peer.role ?? "");
		say(how, quality(peer));
		say(rest, figures(peer));
		say(id, `${texts.words}: ${view.words(peer.id) ?? peer.id ?? peer.address}`);
		dot.update(peer.colour);
		mark(element, "data-quality", peer.quality === undefined ? null : Math.round(peer.quality));
		meter.show(peer.levelDBFS);
		desk.allow("operate", block);
	};
	return { element, update };
}

function makeAsking(desk, view, node) {
	const [title, id, left] = [el("strong"), el("p"), el("small")];
	const all = [["accept", "main"], ["decline"], ["block", "danger"]].map(
		([what, kind]) => button(texts[what], () => view.act(what, node), kind));
	desk.allow("operate", ...all);
	const element = el("li.card.asking", title, id, el("small", texts.compare, " "), left, buttons(...all));

	const update = (next) => {
		say(title, texts.asks(isolate(next.name)));
		say(id, next.idWords ?? "");
		say(left, texts.seconds(Math.round(next.secondsLeft)));
	};
	return { element, update };
}

function makeKnown(desk, view, node) {
	const [name, state] = [nameOf(""), el("small")];
	const [invite, forget] = ["invite", "forget"].map((what) => button(texts[what], () => view.act(what, node), "quiet"));
	const element = el("li.known", el("span.line", name, state), invite, forget);

	const update = (next) => {
		node = next;
		say(name, node.name || node.idWords || "");
		say(state, [node.state, node.admission].filter(Boolean).join(", "));
		invite.hidden = node.state !== "stranger";
		forget.hidden = node.id === undefined;
		desk.allow("operate", invite, forget);
	};
	return { element, update };
}

function makePairing(desk, view) {
	const outcome = el("p.pin", { role: "status" });
	const [peer, pin] = [{}, { inputMode: "numeric", pattern: "[0-9 ]{6,7}" }].map(
		(more) => el("input", { autocomplete: "off", required: true, ...more }));
	const onsubmit = async (event) => {
		event.preventDefault();
		say(outcome, texts.pairing);
		form.hidden = Boolean(await desk.ask("pair-with", { peer: peer.value, pin: pin.value.replace(/ /g, "") }, true));
		say(outcome, form.hidden ? texts.paired : "");
		view.look();
	};
	const form = el(
		"form", { hidden: true, onsubmit }, el("label", texts.peer, peer), el("label", texts.pin, pin),
		el("button.main", texts.pair));
	const show = async () => {
		form.hidden = true;
		const answer = await desk.ask("pair-show");
		if (!answer) return;
		outcome.replaceChildren(
			el("b", answer.pin.replace(/^(...)/, "$1 ")), el("small", texts.pinShown(Math.round(answer.seconds))));
	};
	const all = [button(texts.showPIN, show), button(texts.typePIN, () => {
		form.hidden = !form.hidden;
		say(outcome, "");
	})];
	desk.allow("operate", ...all);
	return card(texts.pair, el("small", texts.pairText), buttons(...all), outcome, form);
}

export function makeStations(desk) {
	const { link } = desk;
	const [asking, here, others, own] = [el("ul", { ariaLive: "polite" }), el("ul"), el("ul"), el("div.card.own")];
	const [othersTitle, alone] = [el("h2", texts.others), el("p.empty")];
	let [nodes, groups, timer] = [[], undefined, 0];

	const view = {
		words: (id) => nodes.find((node) => node.id === id)?.idWords,
		act: async (request, node) => {
			const question = texts[`${request}Sure`]?.(isolate(node.name));
			if (question && !(await sure(question, texts[request], words.sure.no))) return;
			await desk.ask(request, { peer: node.id ?? node.name });
			look();
		},
		look,
	};
	const [showAsking, showHere, showOthers] = [[asking, makeAsking], [here, makeStation], [others, makeKnown]].map(
		([list, make]) => makeRows(list, (_, node) => make(desk, view, node)));
	const element = el(
		"section.scroll", asking, el("div.column", el("h2", texts.here), here, alone, othersTitle, others),
		el("div.column", el("h2", texts.own), own, makePairing(desk, view)));
	async function look() {
		if (link.state !== "connected") return;
		try {
			const [known, all] = await Promise.all([link.ask("peers"), link.ask("group-list")]);
			[nodes, groups] = [known.knownNodes, all.groups];
			update();
			if (link.model?.node) showOwn(link.model);
		} catch { /* The link is lost: it says so itself. */ }
	}

	function update() {
		const present = new Set(link.peers.map(([, peer]) => peer.id));
		const asks = (node) => node.secondsLeft !== undefined;
		const keyed = (all) => all.map((node) => [node.id ?? node.name, node]);
		const away = nodes.filter((node) => !asks(node) && !present.has(node.id));
		showAsking(keyed(nodes.filter(asks)));
		showHere(link.peers);
		showOthers(keyed(away));
		othersTitle.hidden = away.length === 0;
		alone.hidden = link.peers.length > 0 || !link.model;
		say(alone, groups?.length === 0 ? texts.noGroup : texts.alone);
	}

	function showOwn({ node, audio }) {
		const isRunning = (audio?.state ?? "running") === "running";
		own.replaceChildren(el("strong", node.name), ...[
			`${texts.words}: ${node.idWords ?? ""}`, texts.sound[isRunning ? "on" : "off"],
			...groups.map((group) => `${texts.groups}: ${group.name} (${group.words})`), texts.version(node.version),
		].map((text) => el("small", text)));
	}

	const show = () => { look(); timer = setInterval(look, 2000); };
	return { element, update, show, hide: () => clearInterval(timer) };
}
