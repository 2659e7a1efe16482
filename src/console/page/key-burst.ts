// Keys that follow one another at once, and whether a scanner or a person typed them. Scanners type faster than
// people, or as fast and more evenly.
import type { Control } from '../forms/forms.ts';
import { cardIdOf } from '../words/codes.ts';
import { isBarcode, isGtin, isLongGtin } from '../words/gtin.ts';

/** The longest gap between two keys of one code. */
export const gapMillisecondsMax = 150;
/** A person's median gap is longer; a single gap may be shorter. */
export const fastMilliseconds = 50;
/** No gap of a slow scanner is longer, and its gaps differ less than a person's. */
const steadyMillisecondsMax = 100;
const steadyDifferenceMax = 40;
const charactersMin = 3;
/** A scanner that wakes up, or a busy machine, may pause once within a code. */
const headMillisecondsMax = 1_000;

/** Methods receive the time of the key that may end it. */
export class KeyBurst {
  readonly #before = new Map<Control, string>();
  /** What came shortly before, after which there was a pause. */
  readonly #head: Pick<KeyBurst, 'code' | 'before'> | undefined;
  readonly #gaps: number[] = [];
  #characters = '';
  /** The digits of digit keys, whatever the layout types there, with a blank for any other key. */
  #digits = '';
  #at = -Infinity;

  constructor(head?: KeyBurst) {
    this.#head = head && { code: head.code, before: head.before };
  }

  add(event: KeyboardEvent, control: Control | undefined): void {
    if (this.#characters !== '') this.#gaps.push(event.timeStamp - this.#at);
    this.#characters += event.key;
    this.#digits += digitOf(event) ?? ' ';
    this.#at = event.timeStamp;
    if (control !== undefined && !this.#before.has(control)) this.#before.set(control, control.value);
  }

  get code(): string {
    return this.#whole ?? this.#own;
  }

  /** The fields that have received keys, with what was in them before. */
  get before(): ReadonlyMap<Control, string> {
    const head = this.#whole === undefined ? undefined : this.#head;
    return new Map([...this.#before, ...(head?.before ?? [])]);
  }

  /** The code of head and burst, if only both together have a right check digit. */
  get #whole(): string | undefined {
    const whole = `${this.#head?.code ?? ''}${this.#own}`;
    return isGtin(this.#own) || !isLongGtin(whole) ? undefined : whole;
  }

  /** Input methods type wide digits, and digit keys of some layouts (French, Persian) no digits. */
  get #own(): string {
    return isBarcode(this.#digits) ? this.#digits : this.#characters.normalize('NFKC').trim();
  }

  continuesAt(time: number): boolean {
    return time - this.#at <= gapMillisecondsMax;
  }

  isHeadAt(time: number): boolean {
    return time - this.#at <= headMillisecondsMax;
  }

  /** Whether a scanner has pressed a key at this time in the middle of a code. */
  isScanning(time: number): boolean {
    const isLong = this.#characters.length >= charactersMin;
    return isLong && time - this.#at <= fastMilliseconds && this.isScan(time);
  }

  /** Whether no person has typed it. Outside of fields nobody types words. */
  isScan(time: number): boolean {
    const { code } = this;
    const pause = time - this.#at;
    const median = [...this.#gaps].sort((a, b) => a - b)[Math.floor(this.#gaps.length / 2)] ?? pause;
    const isFast = median <= fastMilliseconds;
    const isLong = code.length >= charactersMin;
    if (this.before.size > 0) return isFast && (isLong || cardIdOf(code) !== undefined);
    return isLong || (isFast && pause <= fastMilliseconds && code !== '');
  }

  isSteady(time: number): boolean {
    const gaps = [...this.#gaps, time - this.#at];
    const longest = Math.max(...gaps);
    return longest <= steadyMillisecondsMax && longest - Math.min(...gaps) <= steadyDifferenceMax;
  }
}

function digitOf({ code, shiftKey }: KeyboardEvent): string | undefined {
  return shiftKey ? undefined : /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
}
