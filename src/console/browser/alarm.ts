// A tone for an error that must be noticed without a look at the screen, such as an unknown code.

const hertz = 220;
const seconds = 0.35;

export function soundAlarm(): void {
  if (!('AudioContext' in globalThis)) return; // Firefox with Web Audio turned off
  const context = new AudioContext();
  const tone = new OscillatorNode(context, { type: 'square', frequency: hertz });
  tone.connect(new GainNode(context, { gain: 0.2 })).connect(context.destination);
  tone.addEventListener('ended', () => void context.close());
  tone.start();
  tone.stop(context.currentTime + seconds);
}
