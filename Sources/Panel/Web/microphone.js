// The microphone and Opus, and a voice message as it is recorded.
import {clamp, words} from "./dom.js"

export const rate = 48000, frameLength = 480
const sound = {sampleRate: rate, numberOfChannels: 1}
export const toInteger = samples => Int16Array.from(samples, sample => clamp(-32768, sample * 32768, 32767))

function makeCoder(Coder, settings, error, output) {
	const coder = new Coder({error, output})
	coder.configure({codec: "opus", ...sound, ...settings})
	return coder
}

export function makeEncoder(settings, fail, output) {
	const coder = makeCoder(AudioEncoder, settings, fail, chunk => {
		const packet = new Uint8Array(chunk.byteLength)
		chunk.copyTo(packet)
		output(packet, Math.round(chunk.timestamp / 10000))
	})
	coder.add = (data, index) => coder.encode(
		new AudioData({...sound, format: "f32", numberOfFrames: frameLength, timestamp: index * 10000, data}))
	return coder
}

export function makeDecoder(fail, output) {
	const coder = makeCoder(AudioDecoder, {}, fail, data => {
		const samples = new Float32Array(data.numberOfFrames)
		data.copyTo(samples, {planeIndex: 0, format: "f32-planar"})
		output(samples, data.sampleRate)
		data.close()
	})
	coder.add = (data, timestamp) => coder.decode(new EncodedAudioChunk({type: "key", timestamp, data}))
	return coder
}

const powerOf = samples => samples.reduce((sum, sample) => sum + sample * sample, 0)

export const hasOpus = encoding => new Promise((resolve, reject) => {
	setTimeout(resolve, 700, false)
	let power = 0
	const decoder = makeDecoder(reject, (samples, itsRate) => {
		power += powerOf(samples)
		if (itsRate === rate && power > 50) resolve(true)
	})
	const encoder = makeEncoder(encoding, reject, (packet, index) => decoder.add(packet, index * 10000))
	for (let index = 0; index < 10; index += 1) {
		encoder.add(Float32Array.from({length: frameLength}, (_, at) => (at % 96) / 96 - 0.5), index)
	}
	encoder.flush().then(() => decoder.flush()).catch(reject)
}).catch(() => false)

export async function askMicrophone(settings) {
	if (!navigator.mediaDevices?.getUserMedia) throw new Error(words.guest.noMicrophone)
	return navigator.mediaDevices.getUserMedia({audio: {channelCount: 1, ...settings}})
}

export const whyNot = ({name, message}) => (name === "NotAllowedError" ? words.guest.refused : message)
export const endTracks = stream => stream?.getTracks().forEach(track => track.stop())

export async function addSound(context, take) {
	await context.audioWorklet.addModule("/sound.js")
	const node = new AudioWorkletNode(context, "sound", {outputChannelCount: [1]})
	node.port.onmessage = ({data}) => take(data, powerOf(data) / frameLength)
	node.connect(context.destination)
	return node
}

// A voice message: Ogg Opus (RFC 7845), or WAV at a third of the rate where the browser has no Opus.
// libopus looks ahead by 312 samples (RFC 7845 §4.2).
const packetLength = 960, packetsOfPage = 40, peakFrames = 10, skip = 312
const messageEncoding = {bitrate: 32000, opus: {frameDuration: 20000}}
// Frames: ten minutes; a WAV of five is as large as a station takes.
const mostOpus = 60000, mostWAV = 30000
const octets = (text, ...more) => [...text].map(letter => letter.charCodeAt(0)).concat(more)
const zeros = count => Array(count).fill(0)

// RFC 3533 §6.
function checksum(sum, octet) {
	sum ^= octet << 24
	for (let bit = 0; bit < 8; bit += 1) sum = (sum << 1) ^ (sum < 0 ? 0x04c11db7 : 0)
	return sum
}

function makePage(number, packets, granule, flags) {
	const lacing = packets.flatMap(({length}) => [...Array(Math.floor(length / 255)).fill(255), length % 255])
	const page = Uint8Array.from([
		...octets("OggS", 0, flags, ...zeros(20)), lacing.length, ...lacing, ...packets.flatMap(packet => [...packet]),
	])
	const view = new DataView(page.buffer)
	view.setUint32(6, granule, true)
	view.setUint32(18, number, true)
	view.setUint32(22, page.reduce(checksum, 0), true)
	return page
}

function makeOgg(packets, samples) {
	const pages = [
		makePage(0, [octets("OpusHead", 1, 1, skip & 255, skip >> 8, 0x80, 0xbb, ...zeros(5))], 0, 2),
		makePage(1, [octets("OpusTags", ...zeros(8))], 0, 0),
	]
	for (let at = 0; at < packets.length; at += packetsOfPage) {
		const end = Math.min(at + packetsOfPage, packets.length), isLast = end === packets.length
		const granule = isLast ? Math.min(end * packetLength, samples + skip) : end * packetLength
		pages.push(makePage(pages.length, packets.slice(at, end), granule, isLast ? 4 : 0))
	}
	return new Blob(pages, {type: "audio/ogg"})
}

const third = samples => Int16Array.from(
	{length: frameLength / 3}, (_, at) => 10922 * clamp(-3, samples[3 * at] + samples[3 * at + 1] + samples[3 * at + 2], 3))

function makeWAV(parts) {
	const size = parts.length * 2 * (frameLength / 3)
	const format = Uint32Array.of(16, 0x10001, rate / 3, (rate / 3) * 2, 0x100002)
	return new Blob(
		["RIFF", Uint32Array.of(size + 36), "WAVEfmt ", format, "data", Uint32Array.of(size), ...parts], {type: "audio/wav"})
}

export function makeRecorder(changed, fail) {
	const parts = [], recorder = {peaks: [], isPaused: false, seconds: 0}
	let stream, context, encoder, filled = 0, peak = 0, frames = 0

	const take = samples => {
		for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
		if (!recorder.isPaused) {
			if (encoder) encoder.add(samples, frames)
			else parts.push(third(samples))
			frames += 1
		}
		filled += 1
		if (filled < peakFrames) return
		recorder.level = 20 * Math.log10(peak || 1e-6)
		if (!recorder.isPaused) recorder.peaks.push(peak)
		filled = peak = 0
		recorder.pause(recorder.isPaused)
	}
	const end = () => {
		recorder.isPaused = true
		endTracks(stream)
		context?.close().catch(() => {})
	}
	return Object.assign(recorder, {
		end,
		async start() {
			stream = await askMicrophone()
			if (await hasOpus(messageEncoding)) encoder = makeEncoder(messageEncoding, error => fail(error.message), packet => parts.push(packet))
			context = new AudioContext({sampleRate: rate})
			const node = await addSound(context, take)
			context.createMediaStreamSource(stream).connect(node)
			stream.getAudioTracks()[0].onended = () => recorder.pause(true)
			await context.resume()
		},
		pause(isPaused) {
			recorder.seconds = (frames * frameLength) / rate
			recorder.isFull = frames >= (encoder ? mostOpus : mostWAV)
			recorder.isPaused = isPaused || recorder.isFull
			changed()
		},
		async finish() {
			end()
			await encoder?.flush()
			return encoder ? makeOgg(parts, frames * frameLength) : makeWAV(parts)
		},
	})
}
