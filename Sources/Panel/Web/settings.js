import {about, ask, button, card, check, danger, el, entry, isolate, isSaving, link, list, may, needs, node, operators, small, subscribe, titled, words} from "./dom.js"
import {wake} from "./guest.js"

const t = words.settings
const admins = needs("admin")

const key = read => el("li.row.known", titled(() => read().name, () => read().lines.join(", ")), button(
	"", t.remove, () => ask("key-remove", {key: read().name}), operators, {ariaLabel: about(t.remove, read().name)}))

function choice(text, right, read, send) {
	const [title, list] = text.split(": "), options = list.split(" ")
	return el("label.choice", el("span", title), el("select", {onchange: ({target}) => send(target.value)}, right, select => {
		if (document.activeElement === select) return
		const value = read() ?? options[0], all = [...new Set(options).add(value)]
		if (select.options.length !== all.length) select.replaceChildren(...all.map(one => el("option", one)))
		select.value = value
	}))
}

const voice = () => card(t.voiceTitle, ...Object.entries(t.voice).map(([name, text]) => choice(
	text, operators, () => node().voice?.settings[name], value => ask("voice", {settings: {[name]: value}}))))

function recording() {
	const now = () => link.model.recording ?? {}
	const start = entry("admin", t.folder, t.record, directory => ask("record-start", {recording: {directory, peers: true, mix: true}}))
	start.live.push(() => ({hidden: now().isRunning}))
	return card(
		t.takes, el("p", {role: "status"}, () => now().isRunning && t.recording(now())), start,
		button(".danger", t.stop, () => ask("record-stop"), admins, () => ({hidden: !now().isRunning})))
}

export default function() {
	let sessions = []
	const show = async () => {
		if (may("admin") && link.state === "connected") sessions = (await ask("page-list"))?.pageSessions ?? sessions
	}
	const device = ({name, rights, id}) => el(
		"li.row.known", titled(() => name, words.rights[rights]),
		danger(words.signIn.out, t.revokeSure(isolate(name)), async () => {
			await ask("page-revoke", {session: id})
			show()
		}, admins))
	const saving = check(t.saving, isOn => {
		localStorage.saving = isOn
		subscribe().catch(() => {})
		wake()
	}, {checked: isSaving()})
	return {show, box: el(
		"section.scroll",
		el(".column", card(t.phone, saving), voice(),
			card(t.lines, entry("operate", t.newLine, t.add, line => ask("line-new", {line})), list(() => link.model.keys ?? [], key),
				entry("operate", t.newKey, t.add, line => ask("key-set", {setting: {name: line, lines: [line]}})))),
		el(".column", recording(), card(t.access, list(() => sessions, read => device(read()))),
			card(t.service, small(() => node().version && `comlinkd ${node().version} · ${node().listen}`),
			entry("admin", t.name, t.set, name => ask("choose", {settings: {name}})),
			choice(t.profile, admins, () => node().profile, profile => ask("choose", {settings: {profile}})),
			danger(t.restart, t.restartSure, () => ask("restart"), admins))))}
}
