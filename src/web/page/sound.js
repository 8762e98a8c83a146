// Sounds of moves, made of tones: no files are loaded. Loaded with the first move that is heard.

/** @type {AudioContext | null} */
let context = null;

/** Tones: cycles a second, seconds after the beginning, seconds that it takes, loudness. @typedef {readonly [number, number, number, number]} Tone */

/** @type {Readonly<Record<'move' | 'capture' | 'check' | 'end', readonly Tone[]>>} */
const SOUNDS = {
  move: [[210, 0, 0.07, 0.5], [120, 0, 0.05, 0.4]],
  capture: [[160, 0, 0.09, 0.7], [320, 0.02, 0.05, 0.4]],
  check: [[210, 0, 0.07, 0.5], [520, 0.07, 0.12, 0.3]],
  end: [[392, 0, 0.18, 0.3], [523, 0.16, 0.3, 0.3]],
};

/** Plays a sound. @param {keyof typeof SOUNDS} name */
export function sound(name) {
  context ??= new AudioContext();
  const { currentTime, destination } = context;
  for (const [pitch, at, length, loud] of SOUNDS[name]) {
    const tone = new OscillatorNode(context, { type: 'triangle', frequency: pitch });
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(loud * 0.4, currentTime + at);
    gain.gain.exponentialRampToValueAtTime(0.0001, currentTime + at + length);
    tone.connect(gain).connect(destination);
    tone.start(currentTime + at);
    tone.stop(currentTime + at + length);
  }
}
