// A tone for what went wrong while nobody looks at the screen, such as a code that is unknown. It can be turned off:
// this device remembers that.
const storageKey = 'orderly-alarm';
const hertz = 220;
const seconds = 0.35;

export function isAlarmOn(): boolean {
  return localStorage.getItem(storageKey) !== 'off';
}

export function turnAlarm(isOn: boolean): void {
  if (isOn) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, 'off');
}

export function soundAlarm(): void {
  if (!isAlarmOn()) return;
  const context = new AudioContext();
  const tone = new OscillatorNode(context, { type: 'square', frequency: hertz });
  tone.connect(new GainNode(context, { gain: 0.2 })).connect(context.destination);
  tone.addEventListener('ended', () => void context.close());
  tone.start();
  tone.stop(context.currentTime + seconds);
}
