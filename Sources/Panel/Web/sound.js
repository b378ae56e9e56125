// On the audio thread: the microphone in frames of 10 ms at 48 kHz, and what is heard out of a ring.

const frameLength = 480;
const ringLength = 1 << 15;
const [usualMargin, mostMargin] = [480, 5760];
const watchLength = 24000;
const mostSurplus = 1920;
const fadeLength = 240;
const between = (a, b, c, d, x) =>
	b + 0.5 * x * (c - a + x * (2 * a - 5 * b + 4 * c - d + x * (3 * (b - c) + d - a)));

class Sound extends AudioWorkletProcessor {
	step = 48000 / sampleRate;
	frame = new Float32Array(frameLength);
	filled = 0;
	past = [0, 0, 0, 0];
	phase = 0;
	ring = new Float32Array(ringLength);
	end = 0;
	place = 0;
	margin = usualMargin;
	trim = 0;
	isPlaying = false;
	isPause = true;
	gain = 0;
	last = 0;
	lowest = Infinity;
	watched = 0;
	calm = 0;

	constructor() {
		super();
		this.port.onmessage = ({ data }) => this.#hear(data);
	}

	process([input], [output]) {
		const heard = output[0];
		this.#capture(input[0], heard.length);
		this.#play(heard);
		for (let channel = 1; channel < output.length; channel += 1) output[channel].set(heard);
		return true;
	}

	#capture(samples, length) {
		for (let index = 0; index < length; index += 1) {
			const sample = samples ? samples[index] : 0;
			if (this.step === 1) {
				this.#keep(sample);
				continue;
			}
			const { past } = this;
			[past[0], past[1], past[2], past[3]] = [past[1], past[2], past[3], sample];
			for (; this.phase < 1; this.phase += 1 / this.step) {
				this.#keep(between(past[0], past[1], past[2], past[3], this.phase));
			}
			this.phase -= 1;
		}
	}

	#keep(sample) {
		this.frame[this.filled] = sample;
		this.filled += 1;
		if (this.filled < frameLength) return;
		this.filled = 0;
		const frame = this.frame;
		this.frame = new Float32Array(frameLength);
		this.port.postMessage(frame, [frame.buffer]);
	}

	// Samples, or `null`: nobody talks from here on.
	#hear(samples) {
		this.isPause = samples === null;
		if (!samples) return;
		if (this.end - this.place + samples.length > ringLength - 8) this.place = this.end;
		for (const sample of samples) {
			this.ring[this.end % ringLength] = sample;
			this.end += 1;
		}
		if (!this.isPlaying && this.end - this.place >= this.margin + frameLength) {
			this.place = this.end - this.margin - frameLength;
			this.isPlaying = true;
			this.#watch();
		}
	}

	#watch() { [this.lowest, this.watched] = [Infinity, 0]; }

	#play(heard) {
		const step = this.step * (1 + this.trim);
		const fill = this.end - this.place;
		if (this.isPlaying && fill < heard.length * step + 3) {
			this.isPlaying = false;
			if (!this.isPause) {
				this.margin = Math.min(this.margin + frameLength / 2, mostMargin);
				this.calm = 0;
			}
		}
		for (let index = 0; index < heard.length; index += 1) {
			if (this.isPlaying) {
				const whole = Math.floor(this.place);
				const at = (offset) => this.ring[(whole + offset + ringLength) % ringLength];
				this.last = between(at(-1), at(0), at(1), at(2), this.place - whole);
				this.place += step;
				this.gain = Math.min(1, this.gain + 1 / fadeLength);
			} else {
				this.gain = Math.max(0, this.gain - 1 / fadeLength);
			}
			heard[index] = this.last * this.gain;
		}
		if (this.isPlaying) this.#judge(this.end - this.place, heard.length);
		else if (this.isPause) this.place = this.end;
	}

	// The phone's clock is not the station's: what is left over is followed by playing a little faster or slower.
	#judge(fill, length) {
		this.lowest = Math.min(this.lowest, fill);
		this.watched += length;
		if (this.watched < watchLength) return;
		this.calm += 1;
		if (this.calm > 20 && this.margin > usualMargin) [this.margin, this.calm] = [this.margin - 48, 0];
		const surplus = this.lowest - this.margin;
		if (surplus > mostSurplus) this.place += surplus;
		this.trim = surplus > mostSurplus ? 0 : Math.max(-0.003, Math.min(0.003, surplus / 96000));
		this.#watch();
	}
}

registerProcessor("sound", Sound);
