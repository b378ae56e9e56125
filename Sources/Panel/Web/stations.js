import {ask, button, card, changed, clamp, el, fold, isolate, join, link, list, nameOf, node, operators, peers, say, send, small, sure, titled, who, words} from "./dom.js"

const t = words.stations

function quality({state, quality: value, qualityReason: reason}) {
	const isHeard = state === "connected" && value !== undefined
	const word = isHeard ? t.quality[clamp(0, Math.round(value), 5)] : t.states[state] ?? t.noQuality
	return {
		textContent: isHeard && reason && value < 4 ? `${word}: ${reason}` : word,
		dataLevel: isHeard && (value < 1.5 ? "problem" : value < 3.5 ? "advice" : "good"),
	}
}

const figures = ({roundTripMilliseconds: time, lossPercent: loss}) =>
	join(time !== undefined && t.latency(Math.round(time)), loss >= 0.1 && t.loss(loss.toFixed(1)))

let nodes = [], groups

async function look() {
	if (link.state !== "connected") return
	try {
		const [known, all] = await Promise.all([send("peers"), send("group-list")])
		;[nodes, groups] = [known.knownNodes, all.groups]
		changed()
	} catch {/* The link is lost. */}
}

const act = (kind, request, read, ...more) => button(kind, t[request], async () => {
	const {id, name} = read(), question = t[`${request}Sure`]?.(isolate(name))
	if (question && !await sure(question, t[request])) return
	await ask(request, {peer: id ?? name})
	look()
}, operators, ...more)

const station = peer => el(
	"li.row.station",
	who(peer, () => peer().role ?? "", el("span.line", el("p.quality", () => quality(peer())), small(() => figures(peer())))),
	fold(peer().name, small(() => {
		const {id, address} = peer()
		return `${t.words}: ${nodes.find(node => node.id === id)?.idWords ?? id ?? address}`
	}), el(".buttons", act(".danger", "block", peer))))

const asking = node => el(
	"li.card.asking", el("strong", () => t.asks(isolate(node().name))), el("p", () => node().idWords ?? ""),
	small(t.compare, " "), small(() => t.seconds(Math.round(node().secondsLeft))),
	el(".buttons", act(".main", "accept", node), act("", "decline", node), act(".danger", "block", node)))

const known = node => el(
	"li.row.known", titled(() => node().name || node().idWords, () => join(node().state, node().admission)),
	act(".quiet", "invite", node, () => ({hidden: node().state !== "stranger"})),
	act(".quiet", "forget", node, () => ({hidden: !node().id})))

function pairing() {
	const outcome = el("p.pin", {role: "status"})
	const [peer, pin] = [{}, {inputMode: "numeric"}].map(more => el("input", {autocomplete: "off", ...more}))
	return card(t.pair, small(t.pairText), el(".buttons", button("", t.showPIN, async () => {
		const answer = await ask("pair-show")
		if (answer) outcome.replaceChildren(el("b", answer.pin.replace(/^(...)/, "$1 ")), small(t.pinShown(Math.round(answer.seconds))))
	}, operators), button("", t.typePIN, async () => {
		if (!await sure(t.pair, t.pair, el("label", t.peer, peer), el("label", t.pin, pin))) return
		say(outcome, words.link.connecting)
		say(outcome, await ask("pair-with", {peer: peer.value, pin: pin.value.replace(/ /g, "")}, true) && t.paired)
		look()
	}, operators)), outcome)
}

export default function() {
	const asks = node => "secondsLeft" in node
	const away = () => nodes.filter(node => !asks(node) && !peers().some(([, peer]) => peer.id === node.id))
	const box = el(
		"section.scroll", list(() => nodes.filter(asks), asking, {ariaLive: "polite"}),
		el(
			".column",
			el("h2", t.here), list(peers, station),
			el("p.empty", () => ({hidden: !node().name, textContent: groups?.length === 0 ? t.noGroup : words.nobody})),
			el("h2", t.others, () => ({hidden: !away().length})), list(away, known)),
		el(
			".column",
			el("h2", t.own), el(
				".card.own", nameOf(() => node().name), small(() => `${t.words}: ${node().idWords ?? ""}`),
				small(() => (groups ?? []).map(({name, words}) => `${t.groups}: ${name} (${words})`).join(" · "))),
			pairing()))
	return {box, show: look, every: 2000}
}
