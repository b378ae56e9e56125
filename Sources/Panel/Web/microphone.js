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
	const decoder = makeDecoder(reject, (samples, itsRate) => itsRate === rate && powerOf(samples) > 5 && resolve(true))
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

// A voice message: packets of Opus, each behind its length, or samples at a third of the rate where there is no Opus.
const peakFrames = 10, messageEncoding = {bitrate: 32000, opus: {frameDuration: 20000}}
// Frames: ten minutes; samples of five are as much as a station takes.
const mostOpus = 60000, mostSamples = 30000

const third = samples => Int16Array.from(
	{length: frameLength / 3}, (_, at) => 10922 * clamp(-3, samples[3 * at] + samples[3 * at + 1] + samples[3 * at + 2], 3))

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
			if (await hasOpus(messageEncoding)) encoder = makeEncoder(messageEncoding, error => fail(error.message), packet => parts.push(Uint16Array.of(packet.length), packet))
			context = new AudioContext({sampleRate: rate})
			const node = await addSound(context, take)
			context.createMediaStreamSource(stream).connect(node)
			stream.getAudioTracks()[0].onended = () => recorder.pause(true)
			await context.resume()
		},
		pause(isPaused) {
			recorder.seconds = (frames * frameLength) / rate
			recorder.isFull = frames >= (encoder ? mostOpus : mostSamples)
			recorder.isPaused = isPaused || recorder.isFull
			changed()
		},
		async finish() {
			end()
			await encoder?.flush()
			return new Blob([encoder ? "OpusPack" : "PCM16kHz", ...parts], {type: "audio/opus"})
		},
	})
}
