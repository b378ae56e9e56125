import {about, ask, attempt, button, check, el, fold, isolate, join, link, list, may, meter, nameOf, node, now, operators, peers, quietest, showNotice, slider, small, some, talkers, titled, tool, who, words} from "./dom.js"
import {guest, isAsleep, isOn, isPlain, ownCall, ownKeys, setPlain, startGuest, stop} from "./guest.js"
import {keyGrid, loseAll} from "./keys.js"

const t = words.talk, speech = -38
const toggle = (kind, word, name, isSet, set) =>
	tool(kind, about(word, name), () => set(!isSet()), word, operators, () => ({ariaPressed: isSet()}))

function talker(peer) {
	const {name, of} = peer()
	const box = (...more) => el("li.row.talker", () => ({".talking": peer().isTalking, ".muted": peer().isMuted}), ...more)
	if (of !== undefined) return box(who(peer, words.guest.of(isolate(of))))
	const set = (request, fields) => ask(request, {peer: peer().id ?? name, ...fields})
	return box(
		who(peer, () => join(
			peer().isTalking && t.talking, peer().isRecording && t.recording, peer().isLoopingBack && t.loopBack,
			peer().effect, peer().role, words.stations.states[peer().state])),
		toggle("mute", t.mute, name, () => peer().isMuted, on => set("mute", {on})),
		fold(name,
			slider(t.level, name, [-30, 18, 1], t.decibels, () => peer().gainDecibels, decibels => set("gain", {decibels})),
			slider(t.place, name, [-1, 1, 0.1], t.pan, () => peer().pan, position => set("pan", {position})),
			button("", words.calls.call, () => set("call"), talkers)))
}

function calls() {
	const t = words.calls
	const all = kind => (link.model.calls?.[kind] ?? []).map((one, index) =>
		[kind + one.peer + one.line, {...one, isOwn: kind === "outgoing", isLatest: index === 0}])
	return list(() => [...all("incoming"), ...all("outgoing")], read => {
		const {peer, line, isOwn, isRinging} = read()
		if (isRinging && !isOwn) navigator.vibrate?.([200, 100, 200])
		return el(
			"li.row.known", () => ({dataLevel: read().isRinging ? "advice" : null}),
			titled(() => peer || line, join(peer && line, isOwn && t.own)),
			isOwn ? button("", t.end, () => ask("call-end", line ? {line} : {peer}), talkers) : [
				button("", t.reply, () => ask("reply"), talkers,
					() => ({".air": read().isAnswering, hidden: !read().isAnswering && !read().isLatest})),
				button("", t.clear, () => ask("call-clear", {peer}), talkers),
			])
	}, {ariaLive: "polite"})
}

function partyLine(line, name) {
	const t = words.lines, set = (request, fields) => ask("line-" + request, {line: name, ...fields})
	const way = (what, isHidden) => button("", t[what], () => set(what), {ariaLabel: about(t[what], name)}, operators,
		() => ({hidden: isHidden()}))
	const isBusy = () => line().talkers[0]
	// As loud as the loudest who talks there.
	const level = () => Math.max(
		line().isTalking && !isOn() ? node().micLevelDBFS : quietest,
		...people().map(([, one]) => (line().talkers.includes(one.name) ? one.levelDBFS : quietest)))
	return el("li.row.party", () => {
		const {isJoined, isTalking, isListening} = line()
		return {".present": isBusy(), ".live": isTalking, ".unheard": !isJoined || !isListening, ".away": !isJoined}
	}, el("span.lamp"), el(".who", nameOf(() => name), small({dir: "auto"}, () => join(
		line().isTalking && t.youTalk, line().isListening && !line().isSetListening && t.byKey,
		isBusy() ? words.keys.talk(some(line().talkers)) : t.with(some(line().members)))), meter(name, level)),
	way("join", () => line().isJoined),
	toggle("hear", t.listen, name, () => line().isSetListening, on => set("listen", {on})),
	fold(name,
		slider(words.talk.level, name, [-40, 12, 1], words.talk.decibels, () => line().levelDecibels, decibels => set("level", {decibels})),
		el(".buttons", way("leave", () => name === "all"),
			...["call", "again"].map(what => button("", words.calls[what], () => ask(what, {line: name}), talkers)))))
}

function partyLines() {
	const shown = () => {
		const {lines = []} = link.model
		const isOne = lines.every(line => line.name === "all" && line.isSetListening && line.levelDecibels === 0)
		return isOne ? [] : lines
	}
	const hide = () => ({hidden: !shown().length})
	return [
		el("section", {ariaLabel: words.lines.title}, hide, el("h2", words.lines.title), list(shown, partyLine)),
		el("h2", t.talkers, hide),
	]
}

function guestBar() {
	const t = words.guest
	return el(
		".phones", () => ({hidden: !may("talk"), ".on": isOn() && guest.isSeated && !isAsleep()}),
		button(".phone", "", () => {
			if (isAsleep()) guest.context.resume()
			else if (isOn()) stop()
			else startGuest()
		}, () => ({
			textContent: guest.state === "on" && !guest.isSeated ? words.link.connecting : t[isAsleep() ? "wake" : guest.state],
			ariaPressed: isOn(),
		})),
		el(
			".line", () => ({hidden: !isOn()}),
			check(t.plain, setPlain, () => ({checked: isPlain()})),
			button(".quiet", t.output, () => attempt(async () => {
				await guest.context.setSinkId((await navigator.mediaDevices.selectAudioOutput()).deviceId)
			}), () => ({hidden: !navigator.mediaDevices?.selectAudioOutput || !guest.context?.setSinkId}))))
}

const people = () => [["", {...link.model, name: node().name}], ...peers()].flatMap(([key, one]) => [
	...(key && [[key, one]]), ...(one.guests ?? []).map(guest => [`${key}/${guest.number ?? guest.name}`, {...guest, of: one.name}]),
])

export default function() {
	let since = 0, last = 0
	const level = () => (isOn() ? guest.level : node().micLevelDBFS)
	// A detector knows better than a level.
	const warn = () => {
		const isTalking = ownCall() || ownKeys().some(one => one.tally.startsWith("talk"))
		if (!isTalking && level() > speech) [since, last] = [since || now(), now()]
		if (isTalking || now() - last > 3000) since = 0
		const isTold = isOn() ? null : node().voice?.isTalkingMuted
		showNotice(isTold ?? (since && now() - since > 400) ? t.muted : "")
	}
	const box = el(
		"section.talk", warn,
		el(".list", calls(), partyLines(), list(people, talker, {ariaLabel: t.talkers}),
			el("p.empty", words.nobody, () => ({hidden: !node().name}))),
		el(".desk", guestBar(), el(".mic", small(t.microphone),
			meter(t.microphone, () => [level(), isOn() ? level() : node().micPeakDBFS])), keyGrid()))
	return {box, hide() {loseAll(); showNotice("")}}
}
