// Keys that follow one another at once, and what tells a scanner from a hand. Scanners are faster than hands, or as fast
// and steadier.
import type { Control } from '../forms/forms.ts';
import { cardIdOf } from '../words/codes.ts';
import { isBarcode } from '../words/gtin.ts';

/** Between two keys of one code. */
export const gapMillisecondsMax = 150;
/** The median gap of a hand is longer; a single one may be shorter. */
export const fastMilliseconds = 50;
/** No gap of a slow scanner is longer, and its gaps differ less than those of a hand. */
const steadyMillisecondsMax = 100;
const steadyDifferenceMax = 40;
const lettersMin = 3;

/** Methods receive the time of the key that may end it. */
export class KeyBurst {
  /** The fields that have received keys, with what was in them before. */
  readonly before = new Map<Control, string>();
  readonly #gaps: number[] = [];
  #letters = '';
  /** What the digits' keys say on most keyboards, with a blank for any other key. */
  #digits = '';
  #at = -Infinity;

  add(event: KeyboardEvent, control: Control | undefined): void {
    if (this.#letters !== '') this.#gaps.push(event.timeStamp - this.#at);
    this.#letters += event.key;
    this.#digits += digitOf(event) ?? ' ';
    this.#at = event.timeStamp;
    if (control !== undefined && !this.before.has(control)) this.before.set(control, control.value);
  }

  /** An input method may have wide digits; on a French or Persian keyboard the keys of the digits say something else. */
  get code(): string {
    return isBarcode(this.#digits) ? this.#digits : this.#letters.normalize('NFKC').trim();
  }

  continuesAt(time: number): boolean {
    return time - this.#at <= gapMillisecondsMax;
  }

  /** Whether a key at this time is one of a scanner that is in the middle of a code. */
  isScanning(time: number): boolean {
    const isLong = this.#letters.length >= lettersMin;
    return isLong && time - this.#at <= fastMilliseconds && this.isScan(time);
  }

  /** Whether it can't have been typed. Away from a field nobody types words. */
  isScan(time: number): boolean {
    const { code } = this;
    const pause = time - this.#at;
    const median = [...this.#gaps].sort((a, b) => a - b)[Math.floor(this.#gaps.length / 2)] ?? pause;
    const isFast = median <= fastMilliseconds;
    const isLong = code.length >= lettersMin;
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
