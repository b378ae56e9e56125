import {about, ask, button, changed, el, list, paper, peers, rows, say, small, words} from "./dom.js"

const t = words.health, length = 600, levels = ["problem", "advice", "ok"]
const figures = [["lossPercent", 5], ["roundTripMilliseconds", 20], ["jitterMilliseconds", 10], ["driftPPM", 50]]

function draw(canvas, lines, least) {
	const [pen, width, height] = paper(canvas)
	const values = lines.flatMap(({points}) => points.filter(value => value !== undefined))
	const low = Math.min(0, ...values), high = Math.max(least, ...values)
	const y = value => height - 4 - ((value - low) / (high - low)) * (height - 8)
	pen.fillStyle = "#6b6b73"
	pen.fillRect(0, y(0), width, 2)
	pen.lineWidth = 3
	for (const {points, colour} of lines) {
		pen.strokeStyle = colour
		pen.beginPath()
		points.forEach((value, at) => {
			const move = points[at - 1] === undefined ? "moveTo" : "lineTo"
			if (value !== undefined) pen[move](width * (1 + (at - points.length) / length), y(value))
		})
		pen.stroke()
	}
	return [low, high].map(Math.round)
}

export default function() {
	const history = new Map()
	let findings = []

	const graphs = t.graphs.map(([title, unit], index) => {
		const canvas = el("canvas", {role: "img", ariaLabel: title}), range = small()
		const graph = el("figure", el(".line", el("strong", title), range), canvas)
		graph.draw = () => {
			const lines = [...history.values()].map(one => ({...one, points: one.points.map(point => point?.[index])}))
			say(range, t.range(...draw(canvas, lines, figures[index][1]), unit))
			canvas.ariaLabel = `${title}, ${unit}: ${lines.map(({name, points}) => about(name, points.at(-1)?.toFixed(1) ?? "–"))}`
		}
		return graph
	})
	setInterval(() => {
		const here = new Map(peers())
		for (const [key, {name}] of here) {
			if (!history.has(key)) history.set(key, {name, points: [], colour: `hsl(${210 + 137 * history.size}, 90%, 70%)`})
		}
		for (const [key, {points}] of history) {
			const peer = here.get(key)
			points.push(peer && figures.map(([figure]) => peer[figure]))
			if (points.length > length) points.shift()
			if (points.every(point => !point)) history.delete(key)
		}
		if (box.isConnected) for (const graph of graphs) graph.draw()
	}, 1000)

	const of = level => findings.filter(one => one.level === level)
	const look = async () => {
		findings = (await ask("doctor", {}, true))?.findings ?? findings
		changed()
	}
	const finding = read => {
		const {check, level, seen, meaning, fix = []} = read()
		return el("li.finding", el("strong", {dataLevel: level}, check), [seen, meaning].map(text => text && el("p", text)), fix.map(line => el("code", line)))
	}
	const box = el(
		"section.scroll",
		el(".column", el("h2", t.network), el("p.line", rows(() => [...history], read => el("b", {style: `color: ${read().colour}`}, read().name))), graphs),
		el(".column", el("h2", t.doctor), el("p", {role: "status"}, () => findings[0] && t.summary(...levels.map(level => of(level).length))),
			list(() => levels.flatMap(of).map(one => [JSON.stringify(one), one]), finding), button("", t.again, look)))
	return {box, show: look, every: 30000}
}
