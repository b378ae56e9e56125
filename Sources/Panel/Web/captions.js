import {ask, button, changed, check, el, isAtEnd, isolate, join, link, nameOf, on, operators, rows, safe, words} from "./dom.js"

const t = words.captions, kept = localStorage, size = () => kept.size ?? 28

export default function() {
	const all = new Map(), groups = {}, news = () => link.model.captions ?? {}
	let last = 0, follows = true, busy
	const look = async () => {
		if (busy) return
		busy = true
		const {captions = []} = await ask("captions", {captions: {limit: 500, ...last && {after: last}}}) ?? {}
		busy = false
		for (const one of captions) {
			one.at = (groups[one.hosted ?? one.session] ??= Object.keys(groups).length) * 1e6 + one.startSeconds
			if (one.text) all.set(`${one.session} ${one.index}`, one)
			last = Math.max(last, one.number)
		}
		changed()
		if (follows) pane.scrollTop = pane.scrollHeight
	}
	const pane = el(".list", el("ul", {role: "log"}, rows(
		() => [...all].sort(([, one], [, other]) => one.at - other.at).slice(-999),
		read => el(
			"li", nameOf(() => read().talker || "★"), el("p", {dir: "auto"}, () => safe(read().text) + (read().isFinal ? "" : " …"))))), el("p.empty", t.none), ({style}) => {
		const top = Math.max(0, ...news().recent?.map(one => one.number) ?? [])
		style.fontSize = size() + "px"
		if (!top) last = 0
		if (follows && pane.isConnected && top > last) look()
		return {".light": kept.light}
	})
	// Others see who is behind.
	on(pane, "scroll", () => {
		follows = isAtEnd(pane)
		changed()
	})
	return {show: look, box: el("section.talk.captions", pane, el(".desk", button(".main", t.newest, () => {
		follows = true
		look()
	}, () => ({hidden: follows})),
	el("input", {type: "range", min: 16, max: 96, value: size(), ariaLabel: t.size, oninput({target}) {kept.size = target.value; changed()}}),
	check(t.light, isLight => {kept.light = isLight || ""; changed()}, {checked: kept.light}),
	el(".pads", rows(() => news().hosted?.filter(one => one.state === "live").map(one => [one.session, one]) ?? [], (read, session) => button(
		"", "", () => ask(`session-${read().isJoined ? "leave" : "join"}`, {session}), operators,
		() => ({textContent: join(isolate(read().name), isolate(read().host)), ariaPressed: read().isJoined}))))))}
}
