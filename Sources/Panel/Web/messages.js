import {
	button, buttons, clock, el, flag, isolate, makeEntry, makeMeter, makeRows, mark, nameOf, safe, say,
} from "./dom.js";
import { some } from "./keys.js";
import { rest } from "./link.js";
import { Recorder } from "./recorder.js";
import { words } from "./words.js";

const texts = words.messages;
const speeds = [1, 1.5, 2, 0.75];
const place = "/api/v1/conversations";
const pathOf = (id) => `${place}/${encodeURIComponent(id)}/messages`;

// Bars of the values, 0…1, those up to `done` of the whole bright.
function drawWave(canvas, values, done = 1) {
	const width = canvas.width = canvas.clientWidth * devicePixelRatio;
	const height = canvas.height = canvas.clientHeight * devicePixelRatio;
	const pen = canvas.getContext("2d");
	const bar = width / values.length;
	values.forEach((value, index) => {
		const size = Math.max(2, Math.sqrt(value) * height);
		pen.fillStyle = index < done * values.length ? "#fff" : "#77777f";
		pen.fillRect(index * bar, (height - size) / 2, Math.max(1, bar * 0.7), size);
	});
}

let playing;

function makePlayer(desk, { id, audio: { url, peaks, duration }, sender }) {
	const values = peaks.match(/../g)?.map((two) => parseInt(two, 16) / 255) ?? [];
	const canvas = el("canvas");
	const audio = el("audio", { preload: "none", src: url });
	const play = el("button.tool.play", { ariaLabel: texts.play(isolate(sender.name)), onclick: () => {
		if (!audio.paused) return audio.pause();
		playing?.pause();
		playing = audio;
		desk.attempt(() => audio.play());
	} });
	const seek = el("input", { type: "range", max: duration, step: 0.1, ariaLabel: texts.place, oninput: () => {
		audio.currentTime = seek.value;
		show();
	} });
	const [time, rate] = [el("output"), button("1×", () => {
		audio.playbackRate = speeds[(speeds.indexOf(audio.playbackRate) + 1) % speeds.length];
		show();
	}, "quiet")];
	const load = button("↓", () => el("a", { href: url, download: `message-${id}.ogg` }).click(), "quiet");
	load.ariaLabel = texts.download;
	const show = () => {
		const at = Math.min(audio.currentTime, duration);
		mark(play, "aria-pressed", !audio.paused);
		seek.value = at;
		mark(seek, "aria-valuetext", clock(at));
		say(time, `${clock(at)} / ${clock(duration)}`);
		say(rate, `${audio.playbackRate}×`);
		mark(rate, "aria-label", texts.speed(audio.playbackRate));
		drawWave(canvas, values, at / duration);
	};
	for (const name of ["timeupdate", "play", "pause"]) audio.addEventListener(name, show);
	return { element: el("div.voice", play, el("label.wave", canvas, seek), time, rate, load), show, end: () => audio.pause() };
}

function stateOf({ recipients = [] }) {
	return Object.entries(texts.states).map(([state, text]) => {
		const names = recipients.filter((one) => one.state === state).map((one) => one.name);
		return names.length > 0 && text(some(names));
	}).filter(Boolean).join(", ");
}

function makeMessage(desk, message) {
	const { sender, text, audio, sent_at: sent } = message;
	const state = el("small");
	const voice = audio && makePlayer(desk, message);
	const head = el("span.line", nameOf(sender.is_self ? texts.you : sender.name),
		el("small", new Date(sent).toLocaleString([], { dateStyle: "short", timeStyle: "short" })));
	const element = el("li.message", head, voice ?? el("p", { dir: "auto" }, safe(text ?? texts.unknown)), state);
	const update = (next) => {
		flag(element, { own: sender.is_self, unread: !next.is_read });
		say(state, stateOf(next));
		voice?.show();
	};
	return { element, update, end: voice?.end };
}

function makeRecording(desk, send, done) {
	const meter = makeMeter(words.talk.microphone);
	const [time, canvas] = [el("output"), el("canvas")];
	let recorder = null;
	const show = () => {
		meter.show(recorder.level);
		say(time, recorder.isFull ? texts.full : clock(recorder.seconds));
		say(pause, texts[recorder.isPaused ? "resume" : "pause"]);
		pause.disabled = recorder.isFull;
		drawWave(canvas, recorder.peaks);
	};
	const stop = (problem) => {
		recorder?.cancel();
		recorder = null;
		element.hidden = true;
		if (problem) desk.tell(problem);
		done();
	};
	const pause = button("", () => recorder.pause(!recorder.isPaused));
	const finish = button(texts.send, async () => {
		finish.disabled = true;
		await desk.attempt(async () => {
			await send(recorder.blob ??= await recorder.finish(), recorder.seconds);
			stop();
		});
		finish.disabled = false;
	}, "main");
	const element = el(
		"div.recording", { hidden: true }, time, meter, canvas,
		buttons(pause, button(texts.cancel, () => stop(), "danger"), finish));
	const start = async () => {
		const one = new Recorder(() => { if (recorder === one && !one.blob) show(); }, stop);
		try {
			if (!navigator.mediaDevices?.getUserMedia) throw new Error(words.guest.noMicrophone);
			await one.start();
			recorder = one;
			element.hidden = false;
			show();
		} catch (error) {
			one.cancel();
			stop(error.name === "NotAllowedError" ? words.guest.refused : error.message);
		}
	};
	return { element, start, pause: () => recorder?.pause(true) };
}

async function upload(path, blob, seconds) {
	const about = { file_size: blob.size, mime_type: blob.type };
	const { url, headers } = await rest("POST", `${path}/audio/upload-url`, { file_name: "voice.ogg", ...about });
	await rest("PUT", url, blob, headers);
	await rest("POST", `${path}/audio`, { audio_url: url, duration: seconds, ...about });
}

function makeThread(desk, close) {
	const { link } = desk;
	const [list, title] = [el("ul", { role: "log", ariaLabel: words.views.messages }), el("h2")];
	const rows = makeRows(list, (_, message) => makeMessage(desk, message));
	let [id, all] = [null, new Map()];
	const older = button(texts.older, () => desk.attempt(async () => {
		take(id, await rest("GET", `${pathOf(id)}?before=${Math.min(...all.keys())}`));
	}), "quiet");
	const entry = makeEntry(texts.text, texts.send, (text) => desk.attempt(() => rest("POST", pathOf(id), { text })), 4000);
	const record = button(texts.record, () => {
		form.hidden = back.disabled = true;
		recording.start();
	});
	const form = el("div.write", entry, record);
	const recording = makeRecording(
		desk, (blob, seconds) => upload(pathOf(id), blob, seconds), () => { form.hidden = back.disabled = false; });
	const back = button(texts.back, close, "quiet");
	const pane = el("div.list", el("div.line", back, title), older, list);
	const element = el("div.talk.thread", { hidden: true }, pane, el("div.desk", form, recording));

	const take = (of, { messages, next_before: next }, isLast) => {
		if (of !== id) return;
		const first = messages[0]?.sequence_number ?? 0;
		if (isLast) for (const number of all.keys()) if (number >= first) all.delete(number);
		if (!isLast || all.size === 0) older.hidden = !next;
		for (const message of messages) all.set(message.sequence_number, message);
		const isAtEnd = pane.scrollHeight - pane.scrollTop - pane.clientHeight < 80;
		rows([...all].sort(([one], [other]) => one - other));
		if (isLast && isAtEnd) pane.scrollTop = pane.scrollHeight;
	};
	const look = () => id && desk.attempt(async () => {
		const of = id;
		const news = await rest("GET", pathOf(of));
		take(of, news, true);
		if (document.hidden || !list.isConnected || !desk.may("talk") || news.messages.every((one) => one.is_read)) return;
		await link.ask("messages", { messages: { with: of, marksRead: true } });
	});
	const open = (conversation) => {
		[id, all] = [conversation.id, new Map()];
		rows([]);
		older.hidden = true;
		say(title, safe(conversation.name));
		desk.allow("talk", record, ...entry.elements);
		element.hidden = false;
		return look();
	};
	const shut = () => {
		recording.pause();
		playing?.pause();
	};
	return { element, open, look, shut };
}

export function makeMessages(desk) {
	const { link } = desk;
	let [seen, timer] = [null, 0];
	const list = el("ul");
	const rows = makeRows(list, (_, conversation) => {
		const count = el("b.count");
		const element = el("li", el("button", { onclick: () => enter(conversation) }, nameOf(conversation.name), count));
		return { element, update: ({ unread }) => say(count, String(unread || "")) };
	});
	const overview = el("div.list", list, el("p.empty", texts.nobody));
	const thread = makeThread(desk, () => {
		thread.shut();
		[thread.element.hidden, overview.hidden] = [true, false];
		look();
	});
	const element = el("section.messages", overview, thread);
	const enter = (conversation) => {
		overview.hidden = true;
		thread.open(conversation);
	};
	const look = () => desk.attempt(async () => {
		timer = 0;
		if (overview.hidden) return thread.look();
		const { conversations } = await rest("GET", place);
		conversations.sort((one, other) => other.last_sequence_number - one.last_sequence_number);
		rows(conversations.map((one) => [one.id, one]));
	});
	const update = () => {
		const revision = link.model?.messages?.revision;
		if (revision === seen) return;
		seen = revision;
		timer ||= setTimeout(look, 100);
	};
	return { element, update, show: () => { seen = null; }, hide: () => thread.shut() };
}
