// Recognizes a scan among what is typed: a scanner types faster than a hand and ends with Enter. A code that
// was pasted counts as well.

/** A scanner needs 1 to 30 milliseconds for a character, a fast typist 80. */
const pauseMillisecondsMax = 50;
const endMillisecondsMax = 100;
const lettersMin = 3;

type Burst = {
  readonly control: EventTarget;
  /** The text of the field before the first letter. */
  readonly before: string;
  readonly code: string;
  readonly at: number;
  readonly isPasted: boolean;
};

export class Scans {
  #burst: Burst | undefined;
  /** When the last key was pressed: an event of input has the time at which a busy page came to it. */
  #pressedAt = 0;

  constructor(element: HTMLElement) {
    const note = ({ timeStamp }: Event): void => void (this.#pressedAt = timeStamp);
    element.addEventListener('keydown', note, { capture: true });
    element.addEventListener('beforeinput', (event) => (this.#burst = this.#next(event)));
  }

  /** Returns the code that this Enter has ended, and takes it out of the field; undefined for other text. */
  take(event: KeyboardEvent): string | undefined {
    const burst = this.#burst;
    this.#burst = undefined;
    const { target, timeStamp } = event;
    if (burst === undefined || target !== burst.control || !(target instanceof HTMLInputElement))
      return undefined;
    const code = burst.code.trim();
    const isFast = timeStamp - burst.at <= endMillisecondsMax && code.length >= lettersMin;
    if (code === '' || !(burst.isPasted || isFast)) return undefined;
    target.value = burst.before;
    return code;
  }

  #next({ target, inputType, data, dataTransfer }: InputEvent): Burst | undefined {
    if (!(target instanceof HTMLInputElement)) return undefined;
    const at = this.#pressedAt;
    const started = { control: target, before: target.value, at };
    if (inputType === 'insertFromPaste') {
      const code = data ?? dataTransfer?.getData('text/plain') ?? '';
      return { ...started, code, isPasted: true };
    }
    if (inputType !== 'insertText' || data?.length !== 1) return undefined;
    const burst = this.#burst;
    const goesOn = burst?.control === target && !burst.isPasted && at - burst.at <= pauseMillisecondsMax;
    return goesOn ? { ...burst, code: burst.code + data, at } : { ...started, code: data, isPasted: false };
  }
}
