// A voice message as it is recorded, as Ogg Opus (RFC 7845).
import { hasOpus, make, makeAudio } from "./guest.js";
import { words } from "./words.js";

const rate = 48000;
const frameLength = 480;
const [packetLength, packetsOfPage] = [960, 40];
// What libopus looks ahead (RFC 7845 §4.2).
const skip = 312;
const encoding = {
	codec: "opus", sampleRate: rate, numberOfChannels: 1, bitrate: 32000, opus: { frameDuration: 20000 },
};
const peakFrames = 10;
const mostFrames = 60000;

// RFC 3533 §6.
const table = Uint32Array.from({ length: 256 }, (_, index) => {
	let value = index << 24;
	for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
	return value;
});

const octets = (text, ...more) => Uint8Array.of(...[...text].map((letter) => letter.charCodeAt(0)), ...more);

function makePage(number, packets, granule, flags) {
	const lacing = packets.flatMap(({ length }) => [...Array(Math.floor(length / 255)).fill(255), length % 255]);
	let at = 27 + lacing.length;
	const page = new Uint8Array(packets.reduce((sum, packet) => sum + packet.length, at));
	const view = new DataView(page.buffer);
	page.set(octets("OggS", 0, flags));
	view.setBigUint64(6, BigInt(granule), true);
	view.setUint32(14, 1, true);
	view.setUint32(18, number, true);
	page[26] = lacing.length;
	page.set(lacing, 27);
	for (const packet of packets) {
		page.set(packet, at);
		at += packet.length;
	}
	view.setUint32(22, page.reduce((sum, octet) => (sum << 8) ^ table[(sum >>> 24) ^ octet], 0), true);
	return page;
}

function makeFile(packets, samples) {
	const pages = [[octets("OpusHead", 1, 1, skip & 255, skip >> 8, 0x80, 0xbb, 0, 0, 0, 0, 0)], [octets("OpusTags", ...Array(8).fill(0))]]
		.map((head, index) => makePage(index, head, 0, index ? 0 : 2));
	for (let at = 0; at < packets.length; at += packetsOfPage) {
		const end = Math.min(at + packetsOfPage, packets.length);
		const isLast = end === packets.length;
		const granule = isLast ? Math.min(end * packetLength, samples + skip) : end * packetLength;
		pages.push(makePage(pages.length, packets.slice(at, end), granule, isLast ? 4 : 0));
	}
	return new Blob(pages, { type: "audio/ogg" });
}

export class Recorder {
	#packets = [];
	#filled = 0;
	#peak = 0;
	#frames = 0;
	level = -127;
	peaks = [];
	isPaused = false;

	// `changed` is called with each part of the waveform, `fail` with why it cannot go on.
	constructor(changed, fail) { Object.assign(this, { changed, fail }); }

	get seconds() { return (this.#frames * frameLength) / rate; }

	get isFull() { return this.#frames >= mostFrames; }

	async start() {
		const stream = this.stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
		if (!await hasOpus()) throw new Error(words.messages.noOpus);
		this.encoder = make(AudioEncoder, encoding, (error) => this.fail(error.message), (chunk) => {
			const packet = new Uint8Array(chunk.byteLength);
			chunk.copyTo(packet);
			this.#packets.push(packet);
		});
		const context = this.context = new AudioContext({ sampleRate: rate });
		await context.audioWorklet.addModule("/sound.js");
		const node = new AudioWorkletNode(context, "sound");
		node.port.onmessage = ({ data }) => this.#take(data);
		context.createMediaStreamSource(stream).connect(node).connect(context.destination);
		stream.getAudioTracks()[0].onended = () => this.pause(true);
		await context.resume();
	}

	#take(samples) {
		for (const sample of samples) this.#peak = Math.max(this.#peak, Math.abs(sample));
		if (!this.isPaused) this.encoder.encode(makeAudio(samples, this.#frames++ * 10000));
		this.#filled += 1;
		if (this.#filled < peakFrames) return;
		this.level = 20 * Math.log10(this.#peak || 1e-6);
		if (!this.isPaused) this.peaks.push(this.#peak);
		[this.#filled, this.#peak] = [0, 0];
		this.pause(this.isPaused);
	}

	pause(isPaused) {
		this.isPaused = isPaused || this.isFull;
		this.changed();
	}

	async finish() {
		this.cancel();
		await this.encoder.flush();
		return makeFile(this.#packets, this.#frames * frameLength);
	}

	cancel() {
		this.isPaused = true;
		this.stream?.getTracks().forEach((track) => track.stop());
		this.context?.close().catch(() => {});
	}
}
