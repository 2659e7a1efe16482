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

export type Scans = {
  /** Keeps a code until `deliver` is called and a part of the page takes scans. */
  readonly hold: (code: string) => void;
  readonly isHolding: boolean;
  /** To be called when a part that takes scans is shown. */
  readonly deliver: () => void;
  /** Resolves once what may have been typed was taken, or stays where it is. */
  readonly settled: Promise<unknown>;
};

/** Recognizes scans until the signal is aborted. */
export function recognizeScans({ place, isKnown }: Handlers, signal: AbortSignal): Scans {
  let burst: Burst | undefined;
  /** When the last scan ended, or what followed it. */
  let endedAt = -Infinity;
  /** Letters that came too soon after a scan. */
  let dropped = '';
  /** What may have been typed, while the service is asked. */
  let asked: Promise<unknown> = Promise.resolve();
  /** Codes for the view that takes scans next. */
  const held: string[] = [];

  function pressed(event: KeyboardEvent): void {
    const { key, isTrusted, repeat, ctrlKey, altKey, metaKey, shiftKey } = event;
    if (!isTrusted || ['Shift', 'AltGraph', 'CapsLock'].includes(key)) return;
    const isCommand = metaKey || ctrlKey !== altKey; // AltGr is both
    const isSecret = event.target instanceof HTMLInputElement && event.target.type === 'password';
    const isLetter = key.length === 1 && !isCommand;
    const isEnd = !isCommand && (key === 'Enter' || (key === 'Tab' && !shiftKey));
    if (followsScan(event, isEnd)) {
      stopEvent(event);
      endedAt = event.timeStamp;
      drop(isLetter ? key : '', isEnd);
    } else if (isOfInputMethod(event) || repeat || isSecret) burst = undefined;
    else if (isEnd) ended(event);
    else if (isLetter) added(event);
    else if (isWithinScan(event)) stopEvent(event);
    else burst = undefined;
  }

  /** Whether the key comes too soon after a scan for a hand, or for the next scan. */
  function followsScan({ timeStamp }: KeyboardEvent, isEnd: boolean): boolean {
    if (burst !== undefined) return false;
    return timeStamp - endedAt <= (isEnd ? gapMillisecondsMax : fastMilliseconds);
  }

  /** A second scan that came so soon is said to be lost; what a code has after its end is shorter. */
  function drop(letter: string, isEnd: boolean): void {
    dropped += letter;
    if (!isEnd) return;
    if (dropped.length >= lettersMin) sayUnhandled(dropped, 'tooSoon');
    dropped = '';
  }

  function isWithinScan({ timeStamp }: KeyboardEvent): boolean {
    if (burst === undefined || timeStamp - burst.at > fastMilliseconds) return false;
    return burst.code.length >= lettersMin && isScan(burst, burst.code, timeStamp - burst.at);
  }

  function added(event: KeyboardEvent): void {
    const { key, timeStamp: at } = event;
    const control = controlAt(event.target);
    if (burst === undefined || at - burst.at > gapMillisecondsMax) {
      const before = new Map(control === undefined ? [] : [[control, control.value]]);
      burst = { code: key, digits: digitOf(event), at, gaps: [], before };
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

  function ended(event: KeyboardEvent): void {
    const last = burst;
    burst = undefined;
    const pause = event.timeStamp - (last?.at ?? 0);
    if (last === undefined || pause > gapMillisecondsMax) return;
    const control = controlAt(event.target);
    const rule = control?.dataset['scan'];
    const code = scannedCode(last);
    const wasScanned = isScan(last, code, pause);
    if (rule === 'code' || wasScanned) endedAt = event.timeStamp;
    if (rule === 'search') {
      if (!wasScanned) return;
      if (event.key === 'Tab') event.preventDefault(); // what is found is shown as long as the focus is there
      for (const control of last.before.keys()) enter(control, code);
    } else if (rule === 'code') {
      stopEvent(event);
      for (const control of last.before.keys()) enter(control, code);
    } else if (wasScanned) {
      stopEvent(event);
      putBack(last);
      const dialog = document.querySelector('dialog');
      const barcode = dialog?.querySelector<HTMLInputElement>('[data-pointer="/barcode"]');
      if (barcode?.value === '') enter(barcode, code);
      else if (dialog !== null) sayUnhandled(code, 'unwanted');
      else send(code);
    } else if (
      isLikeCode(code) &&
      !isLookedUp(last, control) &&
      document.querySelector('[data-scans]') !== null
    )
      asked = Promise.all([asked, takeIfKnown(last, code)]);
    else if (isLikeCode(code) && isSteadySearch(last, control, pause)) {
      if (event.key === 'Enter') stopEvent(event);
      void takeIfKnown(last, code).then((isTaken) => {
        if (!isTaken && event.key === 'Enter') control?.dispatchEvent(new KeyboardEvent('keydown', event));
      });
    }
  }

  /** Resolves to whether a product has the code, which is taken out of its fields then. */
  async function takeIfKnown(last: Burst, code: string): Promise<boolean> {
    const isUntouched = [...last.before].map(([control]) => [control, control.value] as const);
    if (!(await isKnown(code).catch(() => false))) return false;
    if (isUntouched.some(([control, value]) => !control.value.startsWith(value))) return false;
    putBack(last);
    send(code);
    return true;
  }

  /** An input method, as that of a scanner in a phone, puts in a whole code at once: it is no amount or quantity. */
  function inserted(event: InputEvent): void {
    const { isTrusted, inputType, target, data } = event;
    const control = controlAt(target);
    const isNumber = /^(numeric|decimal)$/.test(control?.inputMode ?? '') && control?.type === 'text';
    const code = data?.trim() ?? '';
    if (!isTrusted || !isNumber || inputType !== 'insertText' || !isGtin(code)) return;
    stopEvent(event);
    send(code);
  }

  function send(code: string): void {
    if (!isTakenByPage(code)) place(code);
  }

  window.addEventListener('keydown', pressed, { capture: true, signal });
  window.addEventListener('beforeinput', inserted, { capture: true, signal });
  return {
    hold: (code) => void held.push(code),
    get isHolding() {
      return held.length > 0;
    },
    deliver() {
      // a part may hold it again
      for (const code of held.splice(0)) if (!isTakenByPage(code)) held.push(code);
    },
    get settled() {
      return asked;
    },
  };
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

const unhandled = {
  unknown: 'Nothing has the code “{code}”.',
  tooSoon: '“{code}” came too soon after another code: scan it again.',
  unwanted: '“{code}” was scanned while a question was open: nothing was done with it.',
} as const;

/** Says why nothing was done with a code, and what arrived of it, which a keyboard's layout may have changed. */
export function sayUnhandled(code: string, why: keyof typeof unhandled): void {
  soundAlarm();
  notify(t(unhandled[why], { code: code.slice(0, shownMax) }));
}

/** Returns whether a part of the page takes scans. */
function isTakenByPage(code: string): boolean {
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
