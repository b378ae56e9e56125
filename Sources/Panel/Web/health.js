// What the doctor finds, and the network of the last ten minutes.
import { button, el, isolate, makeRows, say } from "./dom.js";
import { words } from "./words.js";

const texts = words.health;
const length = 600;
// Figures of a peer, and the least that a graph is high.
const figures = [["lossPercent", 5], ["roundTripMilliseconds", 20], ["jitterMilliseconds", 10], ["driftPPM", 50]];
const colours = ["#64b5ff", "#ffd60a", "#32d74b", "#ff8a80", "#d0a2ff", "#fff"];

// Where it is not known, or somebody is away, there is a gap.
function draw(canvas, lines, least) {
	const [width, height] = [canvas.width, canvas.height] = [canvas.clientWidth * 2, canvas.clientHeight * 2];
	const pen = canvas.getContext("2d");
	const values = lines.flatMap(({ points }) => points.filter((value) => value !== undefined));
	const [low, high] = [Math.min(0, ...values), Math.max(least, ...values)];
	const y = (value) => height - 4 - ((value - low) / (high - low)) * (height - 8);
	pen.fillStyle = "#6b6b73";
	pen.fillRect(0, y(0), width, 2);
	pen.lineWidth = 3;
	for (const { points, colour } of lines) {
		pen.strokeStyle = colour;
		pen.beginPath();
		points.forEach((value, at) => {
			const x = width * (1 + (at - points.length) / length);
			if (value !== undefined) pen[points[at - 1] === undefined ? "moveTo" : "lineTo"](x, y(value));
		});
		pen.stroke();
	}
	return [low, high].map(Math.round);
}

export function makeHealth(desk) {
	const { link } = desk;
	const history = new Map();
	const [list, summary, legend] = [el("ul"), el("p", { role: "status" }), el("p.line")];
	const show = makeRows(list, (_, { check, level, seen, meaning, fix = [] }) => ({ element: el(
		"li.finding", { dataLevel: level }, el("strong", check), el("p", seen), meaning && el("p", meaning),
		...fix.map((line) => el("code", line))) }));
	const graphs = texts.graphs.map(([title, unit], index) => {
		const [canvas, range] = [el("canvas", { role: "img", ariaLabel: title }), el("small")];
		const update = () => {
			const lines = [...history.values()].map((one) => ({ ...one, points: one.points.map((point) => point?.[index]) }));
			const [low, high] = draw(canvas, lines, figures[index][1]);
			say(range, texts.range(low, high, unit));
			const now = lines.map(({ name, points }) => `${isolate(name)} ${points.at(-1)?.toFixed(1) ?? "–"}`);
			canvas.ariaLabel = `${title}, ${unit}: ${now.join(", ")}`;
		};
		return { element: el("figure", el("div.line", el("strong", title), range), canvas), update };
	});
	let looks;

	setInterval(() => {
		const here = new Map(link.peers);
		for (const [key, { name }] of here) {
			if (!history.has(key)) history.set(key, { name, points: [], colour: colours[history.size % colours.length] });
		}
		for (const [key, { points }] of history) {
			const peer = here.get(key);
			points.push(peer && figures.map(([figure]) => peer[figure]));
			if (points.length > length) points.shift();
			if (points.every((point) => !point)) history.delete(key);
		}
		if (looks) for (const graph of graphs) graph.update();
		legend.replaceChildren(...[...history.values()].map(
			({ name, colour }) => el("b", { style: `color: ${colour}` }, name)));
	}, 1000);
	const look = async () => {
		const answer = await desk.ask("doctor", {}, true);
		if (!answer) return;
		const [problems, advice, ok] = ["problem", "advice", "ok"].map(
			(level) => answer.findings.filter((one) => one.level === level));
		show([...problems, ...advice, ...ok].map((one) => [JSON.stringify(one), one]));
		say(summary, texts.summary(problems.length, advice.length));
	};
	const open = () => {
		look();
		looks = setInterval(look, 30000);
	};
	const hide = () => { looks = clearInterval(looks); };
	const element = el(
		"section.scroll", el("div.column", el("h2", texts.network), legend, ...graphs),
		el("div.column", el("h2", texts.doctor), summary, list, button(texts.again, look)));
	return { element, show: open, hide };
}
