// What is scanned, whatever has the focus: a scanner is a keyboard that types faster than a hand, and ends with
// Enter or Tab. Its keys arrive where somebody happens to be, so a scan is recognized by its end; the fields that
// its keys went to get back what they had, and the end presses nothing. The code goes to the part of the page that
// takes scans (`data-scans`, by an event), or else to `place`, which knows the rest of the console.
//
// A code may hold anything: a customer shows one, the separator of GS1 is F8 for some scanners, and many send a line
// feed after Enter. So keys within a scan that are no letters press nothing, nor does what follows its end at once.
// Only what comes before the third letter can’t be told from a hand.
//
// Some scanners are as slow as a fast typist. What may have been typed stays where it is, and its Enter does what it
// does, until the service knows a product with that code. In the search of a list, what arrived too steadily for a
// hand waits with its Enter until the service says whether it is a product's code. A field can have rules of its own
// in `data-scan`:
//
// | value    | the field                                                                                |
// |----------|------------------------------------------------------------------------------------------|
// | search   | looks up on Enter what is in it, whoever typed it; a scan takes the place of its text    |
// | item     | looks up what may have been typed if it was empty; a scan is taken out as elsewhere      |
// | code     | is for a code: a scan takes the place of its text                                        |
//
// In a question whose field of a barcode is empty, a scan goes there.
import { isOfInputMethod } from './browser-gaps.ts';
import { notify } from './dialogs.ts';
import { soundAlarm } from './alarm.ts';
import type { Control } from './forms.ts';
import { t } from './texts.ts';

/** Between two keys of one code. */
const gapMillisecondsMax = 150;
/** A hand is slower, in the middle of all gaps: one may be longer. */
const fastMilliseconds = 50;
/** No gap of a slow scanner is longer, and all are nearly the same; those of a hand differ more. */
const steadyMillisecondsMax = 100;
const steadyDifferenceMax = 40;
const lettersMin = 3;
/** What is shown of a code: a QR code may have thousands of letters, a SKU has 64. */
const shownMax = 64;

type Burst = {
  code: string;
  /** What the digits' keys say on most keyboards; undefined once another key was pressed, or Shift with one. */
  digits: string | undefined;
  at: number;
  readonly gaps: number[];
  /** The fields that have received keys, with what was in them before. */
  readonly before: Map<Control, string>;
};

type Handlers = {
  /** Finds the place of a code that no part of the page takes. */
  readonly place: (code: string) => void;
  /** Resolves to whether a product has this code. */
  readonly isKnown: (code: string) => Promise<boolean>;
};

export class Scans {
  readonly #handlers: Handlers;
  #burst: Burst | undefined;
  /** When the last scan ended, or what followed it. */
  #endedAt = -Infinity;
  /** Letters that came too soon after a scan. */
  #dropped = '';
  /** What may have been typed, while the service is asked. */
  #asked: Promise<unknown> = Promise.resolve();
  /** Codes for the view that takes scans next. */
  #held: string[] = [];

  constructor(handlers: Handlers, signal: AbortSignal) {
    this.#handlers = handlers;
    window.addEventListener('keydown', (event) => this.#pressed(event), { capture: true, signal });
    window.addEventListener('beforeinput', (event) => this.#inserted(event), { capture: true, signal });
  }

  /** Keeps a code until `deliver` is called and a part of the page takes scans. */
  hold(code: string): void {
    this.#held.push(code);
  }

  /** Resolves once what may have been typed was taken, or stays where it is. */
  get settled(): Promise<unknown> {
    return this.#asked;
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** To be called when a part that takes scans is shown. */
  deliver(): void {
    for (const code of this.#held.splice(0)) if (!send(code)) this.hold(code);
  }

  /** An input method, as that of a scanner in a phone, puts in a whole code at once: it is no amount or quantity. */
  #inserted(event: InputEvent): void {
    const { isTrusted, inputType, target, data } = event;
    const control = controlAt(target);
    const isNumber = /^(numeric|decimal)$/.test(control?.inputMode ?? '') && control?.type === 'text';
    if (!isTrusted || !isNumber || inputType !== 'insertText' || !isGtin(data?.trim() ?? '')) return;
    stopEvent(event);
    const code = data?.trim() ?? '';
    if (!send(code)) this.#handlers.place(code);
  }

  #pressed(event: KeyboardEvent): void {
    const { key, isTrusted, repeat, ctrlKey, altKey, metaKey, shiftKey } = event;
    if (!isTrusted || ['Shift', 'AltGraph', 'CapsLock'].includes(key)) return;
    const isCommand = metaKey || ctrlKey !== altKey; // AltGr is both
    const isSecret = event.target instanceof HTMLInputElement && event.target.type === 'password';
    const isLetter = key.length === 1 && !isCommand;
    const isEnd = !isCommand && (key === 'Enter' || (key === 'Tab' && !shiftKey));
    if (this.#followsScan(event, isEnd)) {
      stopEvent(event);
      this.#endedAt = event.timeStamp;
      this.#drop(isLetter ? key : '', isEnd);
    } else if (isOfInputMethod(event) || repeat || isSecret) this.#burst = undefined;
    else if (isEnd) this.#ended(event);
    else if (isLetter) this.#added(event);
    else if (this.#isWithinScan(event)) stopEvent(event);
    else this.#burst = undefined;
  }

  /** Whether the key comes too soon after a scan for a hand, or for the next scan. */
  #followsScan({ timeStamp }: KeyboardEvent, isEnd: boolean): boolean {
    if (this.#burst !== undefined) return false;
    return timeStamp - this.#endedAt <= (isEnd ? gapMillisecondsMax : fastMilliseconds);
  }

  /** A second scan that came so soon is said to be lost; what a code has after its end is shorter. */
  #drop(letter: string, isEnd: boolean): void {
    this.#dropped += letter;
    if (!isEnd) return;
    if (this.#dropped.length >= lettersMin) sayTooSoon(this.#dropped);
    this.#dropped = '';
  }

  #isWithinScan({ timeStamp }: KeyboardEvent): boolean {
    const burst = this.#burst;
    if (burst === undefined || timeStamp - burst.at > fastMilliseconds) return false;
    return burst.code.length >= lettersMin && isScan(burst, burst.code, timeStamp - burst.at);
  }

  #added(event: KeyboardEvent): void {
    const { key, timeStamp: at } = event;
    const control = controlAt(event.target);
    const burst = this.#burst;
    if (burst === undefined || at - burst.at > gapMillisecondsMax) {
      const before = new Map(control === undefined ? [] : [[control, control.value]]);
      this.#burst = { code: key, digits: digitOf(event), at, gaps: [], before };
      return;
    }
    burst.gaps.push(at - burst.at);
    burst.code += key;
    const digit = digitOf(event);
    burst.digits = digit === undefined ? undefined : burst.digits && burst.digits + digit;
    burst.at = at;
    if (control === undefined)
      event.preventDefault(); // it is no key of its own
    else if (!burst.before.has(control)) burst.before.set(control, control.value);
  }

  #ended(event: KeyboardEvent): void {
    const burst = this.#burst;
    this.#burst = undefined;
    const pause = event.timeStamp - (burst?.at ?? 0);
    if (burst === undefined || pause > gapMillisecondsMax) return;
    const control = controlAt(event.target);
    const rule = control?.dataset['scan'];
    const code = scannedCode(burst);
    const wasScanned = isScan(burst, code, pause);
    if (rule === 'code' || wasScanned) this.#endedAt = event.timeStamp;
    if (rule === 'search') {
      if (!wasScanned) return;
      if (event.key === 'Tab') event.preventDefault(); // what is found is shown as long as the focus is there
      for (const control of burst.before.keys()) enter(control, code);
    } else if (rule === 'code') {
      stopEvent(event);
      for (const control of burst.before.keys()) enter(control, code);
    } else if (wasScanned) {
      stopEvent(event);
      putBack(burst);
      const dialog = document.querySelector('dialog');
      const barcode = dialog?.querySelector<HTMLInputElement>('[data-pointer="/barcode"]');
      if (barcode?.value === '') enter(barcode, code);
      else if (dialog !== null) sayUnwanted(code);
      else if (!send(code)) this.#handlers.place(code);
    } else if (
      isLikeCode(code) &&
      !isLookedUp(burst, control) &&
      document.querySelector('[data-scans]') !== null
    )
      this.#asked = Promise.all([this.#asked, this.#takeIfKnown(burst, code)]);
    else if (isLikeCode(code) && isSteadySearch(burst, control, pause)) {
      if (event.key === 'Enter') stopEvent(event);
      void this.#takeIfKnown(burst, code).then((isTaken) => {
        if (!isTaken && event.key === 'Enter') control?.dispatchEvent(new KeyboardEvent('keydown', event));
      });
    }
  }

  /** Resolves to whether a product has the code, which is taken out of its fields then. */
  async #takeIfKnown(burst: Burst, code: string): Promise<boolean> {
    const isUntouched = [...burst.before].map(([control]) => [control, control.value] as const);
    if (!(await this.#handlers.isKnown(code).catch(() => false))) return false;
    if (isUntouched.some(([control, value]) => !control.value.startsWith(value))) return false;
    putBack(burst);
    if (!send(code)) this.#handlers.place(code);
    return true;
  }
}

/** An input method may have wide digits; on a French or Persian keyboard the keys of the digits say something else. */
function scannedCode({ code, digits }: Burst): string {
  return digits !== undefined && isBarcode(digits) ? digits : code.normalize('NFKC').trim();
}

function digitOf({ code, shiftKey }: KeyboardEvent): string | undefined {
  return shiftKey ? undefined : /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
}

/** Whether it can't have been typed. Away from a field nobody types words. */
function isScan({ gaps, before }: Burst, code: string, pause: number): boolean {
  const middle = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? pause;
  const isFast = middle <= fastMilliseconds;
  const isLong = code.length >= lettersMin || cardIdOf(code) !== undefined;
  if (before.size > 0) return isFast && isLong;
  return code.length >= lettersMin || (isFast && pause <= fastMilliseconds && code !== '');
}

/** Whether all that is in the search of a list arrived as by a slow scanner. */
function isSteadySearch({ gaps, code }: Burst, control: Control | undefined, pause: number): boolean {
  if (control?.type !== 'search' || control.value !== code) return false;
  const longest = Math.max(...gaps, pause);
  return longest <= steadyMillisecondsMax && longest - Math.min(...gaps, pause) <= steadyDifferenceMax;
}

/** Whether the field does it itself: it has the whole code, unless the page was replaced meanwhile. */
function isLookedUp({ before, code }: Burst, control: Control | undefined): boolean {
  if (control?.value.endsWith(code) !== true) return false;
  const rule = control.dataset['scan'];
  const wasEmpty = [...before.values()].every((value) => value === '');
  return rule === 'item' && wasEmpty;
}

/** Whether what was typed may be a code: a quantity, a name or a street is none. */
export function isLikeCode(code: string): boolean {
  return isBarcode(code) || /^(?=.*\d)(?=.*\D)\S{4,64}$/.test(code);
}

/** Digits as many as a barcode has. */
export function isBarcode(text: string): boolean {
  return /^\d{8,14}$/.test(text);
}

/** Whether it is a barcode with the right check digit (GS1 General Specifications 7.9). */
function isGtin(text: string): boolean {
  const digits = [...text].reverse().map(Number);
  const sum = digits.reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0);
  return isBarcode(text) && sum % 10 === 0;
}

/** Returns the id on a customer's card. */
export function cardIdOf(code: string): number | undefined {
  const [, id] = /^c([1-9]\d{0,15})$/i.exec(code) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** Tells the seller that nobody knows the code; it says what arrived, which a keyboard's layout may have changed. */
export function sayUnknown(code: string): void {
  soundAlarm();
  notify(t('Nothing has the code “{code}”.', { code: code.slice(0, shownMax) }));
}

function sayTooSoon(code: string): void {
  soundAlarm();
  notify(t('“{code}” came too soon after another code: scan it again.', { code: code.slice(0, shownMax) }));
}

function sayUnwanted(code: string): void {
  soundAlarm();
  notify(
    t('“{code}” was scanned while a question was open: nothing was done with it.', {
      code: code.slice(0, shownMax),
    }),
  );
}

/** Returns whether a part of the page takes scans. */
function send(code: string): boolean {
  const part = document.querySelector('main [data-scans]');
  part?.dispatchEvent(new CustomEvent('scan', { detail: code }));
  return part !== null;
}

function stopEvent(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function putBack({ before }: Burst): void {
  for (const [control, value] of before) enter(control, value);
}

/** Browsers dispatch no event for what a script has entered. */
function enter(control: Control, value: string): void {
  control.value = value;
  for (const type of control instanceof HTMLSelectElement ? ['input', 'change'] : ['input'])
    control.dispatchEvent(new Event(type, { bubbles: true }));
}

/** The field that receives the keys of this target. */
function controlAt(target: EventTarget | null): Control | undefined {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return target;
  const isText = target instanceof HTMLInputElement && !['checkbox', 'radio', 'file'].includes(target.type);
  return isText ? target : undefined;
}
