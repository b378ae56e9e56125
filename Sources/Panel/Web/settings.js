import {about, ask, button, card, check, choice, column, el, entry, isolate, isSaving, link, list, may, needs, node, operators, small, subscribe, sure, tell, titled, words} from "./dom.js"
import {wake} from "./guest.js"

const t = words.settings

const askFirst = (question, word, act) =>
	button(".danger", word, async () => {if (await sure(question, word)) act()}, needs("admin"))

const key = read => el("li.row.known", titled(() => read().name, () => read().lines.join(", ")), button(
	"", t.remove, () => ask("key-remove", {key: read().name}), operators, {ariaLabel: about(t.remove, read().name)}))

const voice = () => card(t.voiceTitle, ...Object.entries(t.voice).map(([name, text]) => choice(
	text.split(": ")[0], text.split(": ")[1].split(" "), () => node().voice?.settings[name],
	value => ask("voice", {settings: {[name]: value}}))))

function recording() {
	const now = () => link.model.recording ?? {}
	const start = entry("admin", t.folder, t.record, directory => ask("record-start", {recording: {directory, peers: true, mix: true}}))
	start.live.push(() => ({hidden: now().isRunning}))
	return card(
		t.takes, el("p", {role: "status"}, () => {
			const {isRunning, path, seconds} = now()
			return isRunning && t.recording(path, Math.round(seconds))
		}), start,
		button(".danger", t.stop, () => ask("record-stop"), needs("admin"), () => ({hidden: !now().isRunning})))
}

export default function() {
	let sessions = []
	const show = async () => {
		if (may("admin") && link.state === "connected") sessions = (await ask("page-list"))?.pageSessions ?? sessions
	}
	const device = ({name, rights, id}) => el(
		"li.row.known", titled(() => name, words.rights[rights]),
		askFirst(t.revokeSure(isolate(name)), words.signIn.out, async () => {
			await ask("page-revoke", {session: id})
			show()
		}))
	const saving = check(t.saving, {checked: isSaving(), onchange({target}) {
		localStorage.saving = target.checked
		subscribe().catch(() => {})
		wake()
	}})
	const box = el(
		"section.scroll",
		column(card(t.phone, saving), voice(),
			card(t.lines, entry("operate", t.newLine, t.add, line => ask("line-new", {line})), list(() => link.model.keys ?? [], key),
				entry("operate", t.newKey, t.add, line => ask("key-set", {setting: {name: line, lines: [line]}})))),
		column(recording(), card(t.access, list(() => sessions, read => device(read()))),
			card(t.service, small(() => {
				const {name, version, listen} = node()
				return name && `${name} · ${words.stations.version(version)} · ${listen}`
			}), small(t.file),
			askFirst(t.restartSure, t.restart, async () => tell((await ask("restart"))?.note)))))
	return {box, show}
}
