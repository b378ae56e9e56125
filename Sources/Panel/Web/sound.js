// On the audio thread, once a context: the microphone in frames of 10 ms, and what is heard out of a ring.
const frameLength = 480, ringLength = 1 << 15
const usualMargin = 96, mostMargin = 5760, mostSurplus = 1920
const step = 48000 / sampleRate

const between = (a, b, c, d, x) =>
	b + 0.5 * x * (c - a + x * (2 * a - 5 * b + 4 * c - d + x * (3 * (b - c) + d - a)))

let frame = new Float32Array(frameLength), filled = 0, past = [0, 0, 0, 0], phase = 0
const ring = new Float32Array(ringLength)
let end = 0, place = 0, margin = usualMargin, trim = 0, isPlaying = false, isPause = true, gain = 0, last = 0
let lowest = Infinity, watched = 0, calm = 0, patience = 3

function keep(sample, port) {
	frame[filled++] = sample
	if (filled < frameLength) return
	port.postMessage(frame, [frame.buffer])
	;[frame, filled] = [new Float32Array(frameLength), 0]
}

function capture(samples, length, port) {
	for (let index = 0; index < length; index += 1) {
		const sample = samples ? samples[index] : 0
		if (step === 1) keep(sample, port)
		else {
			past = [past[1], past[2], past[3], sample]
			for (; phase < 1; phase += 1 / step) keep(between(...past, phase), port)
			phase -= 1
		}
	}
}

// Samples, or `null`: nobody talks from here on.
function hear({data}) {
	isPause = data === null
	if (!data) return
	if (end - place + data.length > ringLength - 8) place = end
	for (const sample of data) ring[end++ % ringLength] = sample
	if (isPlaying || end - place < margin + frameLength) return
	place = end - margin - frameLength
	isPlaying = true
	;[lowest, watched] = [Infinity, 0]
}

function play(heard) {
	const pace = step * (1 + trim)
	if (isPlaying && end - place < heard.length * pace + 3) {
		isPlaying = false
		// The next try of a smaller margin is twice as far away.
		if (!isPause) [margin, calm, patience] = [Math.min(margin + frameLength / 2, mostMargin), 0, Math.min(2 * patience, 120)]
	}
	for (let index = 0; index < heard.length; index += 1) {
		if (isPlaying) {
			const whole = Math.floor(place)
			const at = offset => ring[(whole + offset + ringLength) % ringLength]
			last = between(at(-1), at(0), at(1), at(2), place - whole)
			place += pace
		}
		gain = Math.max(0, Math.min(1, gain + (isPlaying ? 1 : -1) / 240))
		heard[index] = last * gain
	}
	if (isPlaying) judge(heard.length)
	else if (isPause) place = end
}

// The phone's clock is not the station's: what is left over is played a little faster or slower.
function judge(length) {
	lowest = Math.min(lowest, end - place)
	watched += length
	if (watched < 24000) return
	calm += 1
	if (calm > patience) {
		if (margin > usualMargin) margin -= 48
		else patience = Math.max(3, patience - 1)
	}
	const surplus = lowest - margin, isMuch = surplus > mostSurplus
	if (isMuch) place += surplus
	trim = isMuch ? 0 : Math.max(-0.01, Math.min(0.01, surplus / 48000))
	;[lowest, watched] = [Infinity, 0]
}

registerProcessor("sound", class extends AudioWorkletProcessor {
	constructor() {
		super()
		this.port.onmessage = hear
	}

	process([input], [[heard]]) {
		capture(input[0], heard.length, this.port)
		play(heard)
		return true
	}
})
