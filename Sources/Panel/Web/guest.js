// This phone as a guest of the station, over two connections: the first copy of each frame counts.
import { now } from "./dom.js";
import { randomName, talkKey, talks } from "./keys.js";
import { words } from "./words.js";

const frameLength = 480;
const [opus, pcm] = [1, 2];
// Opus' table of contents of 10 ms of nothing: nobody talks.
const notice = new Uint8Array([30 << 3]);
const noticeFrames = 40;
const mostWaiting = 3000;
const codec = { codec: "opus", sampleRate: 48000, numberOfChannels: 1 };
const encoding = { ...codec, bitrate: 48000, opus: { application: "lowdelay", frameDuration: 10000 } };

export const makeAudio = (samples, time) => new AudioData({
	format: "f32", sampleRate: 48000, numberOfFrames: samples.length, numberOfChannels: 1, timestamp: time, data: samples,
});

const powerOf = (samples) => samples.reduce((sum, sample) => sum + sample * sample, 0);

function samplesOf(data) {
	const samples = new Float32Array(data.numberOfFrames);
	data.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
	data.close();
	return samples;
}

export function make(Coder, settings, error, output) {
	const coder = new Coder({ error, output });
	coder.configure(settings);
	return coder;
}

export async function hasOpus() {
	if (!globalThis.AudioEncoder || !globalThis.AudioDecoder) return false;
	try {
		const able = await Promise.all([AudioEncoder.isConfigSupported(encoding), AudioDecoder.isConfigSupported(codec)]);
		return able.every((answer) => answer.supported) && await new Promise((resolve) => {
			setTimeout(() => resolve(false), 700);
			let power = 0;
			const fail = () => resolve(false);
			const decoder = make(AudioDecoder, codec, fail, (data) => {
				const isRight = data.sampleRate === 48000;
				power += powerOf(samplesOf(data));
				if (isRight && power > 50) resolve(true);
			});
			const encoder = make(AudioEncoder, encoding, fail, (chunk) => decoder.decode(chunk));
			for (let index = 0; index < 10; index += 1) {
				const tone = Float32Array.from({ length: frameLength }, (_, at) => Math.sin((at + index * frameLength) / 10) / 2);
				encoder.encode(makeAudio(tone, index * 10000));
			}
			encoder.flush().then(() => decoder.flush()).catch(fail);
		});
	} catch {
		return false;
	}
}

class Wire {
	#pause = 250;
	#timer = 0;

	constructor(guest) {
		this.guest = guest;
		this.open();
	}

	open() {
		const socket = this.socket = new WebSocket(`wss://${location.host}/voice`);
		socket.binaryType = "arraybuffer";
		socket.onopen = () => {
			socket.send(JSON.stringify({ guest: this.guest.id, hears: this.guest.hasOpus ? "opus" : "pcm", ...this.guest.said }));
		};
		socket.onmessage = ({ data }) => {
			if (typeof data !== "string") return this.guest.hear(data);
			this.#pause = 250;
			const answer = JSON.parse(data);
			if (answer.ok) this.guest.seat(true);
			else this.guest.stop(answer.error);
		};
		socket.onclose = () => {
			this.guest.seat(this.guest.wires?.some((wire) => wire.isOpen) ?? false);
			this.#timer = setTimeout(() => this.open(), this.#pause * (0.75 + Math.random() / 2));
			this.#pause = Math.min(this.#pause * 2, 8000);
		};
	}

	get isOpen() { return this.socket.readyState === WebSocket.OPEN; }

	send(message) {
		if (this.isOpen && (typeof message === "string" || this.socket.bufferedAmount < mostWaiting)) this.socket.send(message);
	}

	end() {
		clearTimeout(this.#timer);
		this.socket.onclose = null;
		this.socket.close();
	}
}

class OwnKeys extends Map {
	of(name) { return this.get(name) ?? { since: null, isLatched: false }; }

	press(name) {
		const state = this.of(name);
		if (state.since === null) this.set(name, { ...state, since: now() });
	}

	release(name, latch) {
		const { since, isLatched } = this.of(name);
		if (since !== null) this.put(name, now() - since < latch && !isLatched);
	}

	put(name, isLatched) { this.set(name, { since: null, isLatched }); }

	isHeld(name) { return this.of(name).since !== null; }

	isOpen(name) { return this.isHeld(name) || this.of(name).isLatched; }
}

export class Guest extends EventTarget {
	#index = 0;
	#sequence = 0;
	#heard = null;
	#open = [];
	#number = Date.now();
	#quiet = 0;
	#levels = [];
	state = "off";
	level = -127;
	isSeated = false;

	constructor(desk) {
		super();
		this.desk = desk;
		this.keys = new OwnKeys();
		this.id = sessionStorage.guest ??= randomName();
		document.addEventListener("visibilitychange", () => { if (!document.hidden) this.wake(); });
	}

	get isOn() { return this.state !== "off"; }

	get isPlain() { return localStorage.plain === "1"; }

	set isPlain(isPlain) {
		localStorage.plain = isPlain ? "1" : "0";
		if (this.isOn) this.#listen();
	}

	get said() { return { keys: this.#open, number: this.#number }; }

	async start() {
		if (this.isOn) return;
		this.#set("starting");
		try {
			if (!navigator.mediaDevices?.getUserMedia) throw new Error(words.guest.noMicrophone);
			const [able] = await Promise.all([hasOpus(), this.#ask()]);
			if (this.state !== "starting") return;
			this.hasOpus = able;
			if (able) this.#makeCodec();
			// Where the microphone's rate is another, as a Bluetooth headset's in Firefox, the worklet resamples.
			await this.#openSound(48000).catch(() => this.#openSound());
			if (this.state !== "starting") return;
			this.wires = [new Wire(this), new Wire(this)];
			sessionStorage.talks = "1";
			this.#set("on");
			this.wake();
		} catch (error) {
			this.stop(error.name === "NotAllowedError" ? words.guest.refused : error.message);
		}
	}

	async #openSound(sampleRate) {
		if (this.state !== "starting") return;
		this.context?.close();
		const context = this.context = new AudioContext({ latencyHint: 0, sampleRate });
		context.resume().catch(() => {});
		await context.audioWorklet.addModule("/sound.js");
		if (this.context !== context) return;
		this.node = new AudioWorkletNode(context, "sound", { outputChannelCount: [2] });
		this.node.port.onmessage = ({ data }) => this.#take(data);
		this.node.connect(context.destination);
		context.onstatechange = () => this.wake();
		this.#connect();
	}

	stop(problem) {
		for (const wire of this.wires ?? []) wire.end();
		this.stream?.getTracks().forEach((track) => track.stop());
		this.context?.close().catch(() => {});
		for (const one of [this.encoder, this.decoder]) if (one?.state === "configured") one.close();
		this.lock?.release().catch(() => {});
		[this.wires, this.stream, this.context, this.encoder, this.decoder, this.lock, this.node] = [];
		[this.isSeated, this.level, this.#heard] = [false, -127, null];
		delete sessionStorage.talks;
		this.keys.clear();
		this.#open = [];
		if (problem) this.desk.tell(problem);
		this.#set("off");
	}

	seat(isSeated) {
		this.isSeated = isSeated;
		this.#tell();
	}

	#set(state) {
		this.state = state;
		this.#tell();
	}

	#tell() { this.dispatchEvent(new Event("change")); }

	async #ask() {
		const isClean = !this.isPlain;
		this.stream = await navigator.mediaDevices.getUserMedia({
			audio: { channelCount: 1, echoCancellation: isClean, noiseSuppression: isClean, autoGainControl: isClean },
		});
	}

	#connect() {
		this.source?.disconnect();
		this.source = this.context.createMediaStreamSource(this.stream);
		this.source.connect(this.node);
		this.stream.getAudioTracks()[0].onended = () => this.#listen();
	}

	async #listen() {
		const before = this.stream;
		clearTimeout(this.again);
		try {
			await this.#ask();
			for (const track of before?.getTracks() ?? []) track.stop();
			this.#connect();
		} catch (error) {
			if (error.name === "NotAllowedError") return this.stop(words.guest.refused);
			this.again = setTimeout(() => { if (this.isOn) this.#listen(); }, 2000);
		}
	}

	async wake() {
		if (!this.isOn) return;
		if (["suspended", "interrupted"].includes(this.context?.state)) this.context.resume().catch(() => {});
		if (this.desk.link.isSaving) this.lock?.release();
		else if (!document.hidden && this.lock?.released !== false) {
			this.lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
		}
		this.#tell();
	}

	get isAsleep() { return this.state === "on" && this.context?.state !== "running"; }

	#makeCodec() {
		const fail = (error) => this.stop(error.message);
		this.encoder = make(AudioEncoder, encoding, fail, (chunk) => {
			const payload = new Uint8Array(chunk.byteLength);
			chunk.copyTo(payload);
			const index = Math.round(chunk.timestamp / 10000);
			this.#send(opus, index, this.#levels[index % 64] ?? 127, payload);
		});
		this.decoder = make(AudioDecoder, codec, fail, (data) => {
			const samples = samplesOf(data);
			this.node?.port.postMessage(samples, [samples.buffer]);
		});
	}

	#take(data) {
		const index = this.#index++;
		const power = powerOf(data) / data.length;
		this.level = power > 0 ? Math.max(-127, 10 * Math.log10(power)) : -127;
		const level = Math.min(127, Math.round(-this.level));
		this.#levels[index % 64] = level;
		if (this.#open.length === 0) {
			if (this.#quiet++ % noticeFrames === 0) this.#send(opus, index, 127, notice);
			return;
		}
		this.#quiet = 0;
		if (this.encoder) {
			this.encoder.encode(makeAudio(data, index * 10000));
		} else {
			const samples = Int16Array.from(data, (sample) => Math.max(-32768, Math.min(32767, sample * 32768)));
			this.#send(pcm, index, level, new Uint8Array(samples.buffer));
		}
	}

	#send(kind, index, level, payload) {
		const message = new Uint8Array(10 + payload.length);
		const view = new DataView(message.buffer);
		view.setUint8(0, kind);
		view.setUint32(1, this.#sequence);
		view.setUint32(5, index * frameLength);
		view.setUint8(9, level);
		message.set(payload, 10);
		this.#sequence = (this.#sequence + 1) >>> 0;
		for (const wire of this.wires ?? []) wire.send(message);
	}

	hear(message) {
		const view = new DataView(message);
		if (view.byteLength < 11 || !this.node) return;
		const sequence = view.getUint32(1);
		const step = this.#heard === null ? 1 : (sequence - this.#heard) | 0;
		// A station that began anew counts from the start.
		if (step <= 0 && step > -1000) return;
		this.#heard = sequence;
		const payload = new Uint8Array(message, 10);
		if (payload.length === 1) return this.node.port.postMessage(null);
		if (view.getUint8(0) === opus) {
			if (this.decoder?.state !== "configured") return;
			const timestamp = Math.round((view.getUint32(5) * 1000) / 48);
			this.decoder.decode(new EncodedAudioChunk({ type: "key", timestamp, data: payload }));
		} else {
			const samples = Float32Array.from({ length: payload.length / 2 }, (_, at) => view.getInt16(10 + 2 * at, true) / 32768);
			this.node.port.postMessage(samples, [samples.buffer]);
		}
	}

	take(request, fields) {
		if (!this.isOn) return undefined;
		const name = fields?.key;
		const keys = this.desk.link.model?.keys ?? [];
		switch (request) {
			case "talk": {
				const own = talkKey(keys);
				if (!own) return undefined;
				this.keys.put(own.name, fields.on);
				break;
			}
			case "key-press": this.keys.press(name); break;
			case "key-release": this.keys.release(name, keys.find((one) => one.name === name)?.latchMilliseconds ?? 0); break;
			case "key-tap": this.keys.put(name, !this.keys.isOpen(name)); break;
			case "key-hold": return Promise.resolve({ ok: true });
			default: return undefined;
		}
		this.#follow();
		return Promise.resolve({ ok: true });
	}

	lose(name) {
		if (!this.keys.isHeld(name)) return;
		this.keys.put(name, false);
		this.#follow();
	}

	#follow() {
		const keys = this.desk.link.model?.keys ?? [];
		this.#open = keys.filter((key) => talks.includes(key.activation) && this.keys.isOpen(key.name)).map((key) => key.name);
		this.#number += 1;
		for (const wire of this.wires ?? []) wire.send(JSON.stringify(this.said));
		this.desk.changed();
	}

	overlay(keys) {
		if (!this.isOn) return keys;
		return keys.map((key) => {
			const isOpen = this.#open.includes(key.name);
			const isHeard = key.tally === "listen" || key.tally === "talk-listen";
			return {
				...key, isHeld: this.keys.isHeld(key.name), isLatched: this.keys.of(key.name).isLatched,
				tally: isOpen ? (isHeard ? "talk-listen" : "talk") : isHeard ? "listen" : "off",
			};
		});
	}
}
