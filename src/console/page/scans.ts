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
// does, until the service knows a product with that code; in the search of a list, only if it arrived too steadily for
// a hand. In a field for a code (`data-scan="code"`), and in the empty barcode of a question, a scan stays. A field of an
// item (`data-scan="item"`) looks up itself what may have been typed, if it was empty. The search over all
// (`data-scan="search"`) looks up what is in it, and a scan takes the place of its text.
import { isOfInputMethod } from '../browser/browser-gaps.ts';
import { notify } from '../forms/dialogs.ts';
import { soundAlarm } from '../browser/alarm.ts';
import type { Control } from '../forms/forms.ts';
import { isBarcode, isGtin, isLongGtin } from '../words/gtin.ts';
import { t } from '../words/texts.ts';

/** Between two keys of one code. */
const gapMillisecondsMax = 150;
/** A hand is slower, in the middle of all gaps: one may be longer. */
const fastMilliseconds = 50;
/** No gap of a slow scanner is longer. Its gaps are nearly the same; the gaps of a hand differ more. */
const steadyMillisecondsMax = 100;
const steadyDifferenceMax = 40;
const lettersMin = 3;
/** What is shown of a code: a QR code may have thousands of letters, a SKU has 64. */
const shownMax = 64;

type Burst = {
  /** Empty if nothing was typed, or a scan has just ended: then it is what came too soon after that. */
  code: string;
  /** What the digits' keys say on most keyboards, with a blank for any other key. */
  digits: string;
  at: number;
  readonly gaps: number[];
  /** The fields that have received keys, with what was in them before. */
  readonly before: Map<Control, string>;
  readonly followsScan: boolean;
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
  readonly heldCount: number;
  /** To be called when a part that takes scans is shown. */
  readonly deliver: () => void;
  /** Resolves once what may have been typed was taken, or stays where it is. */
  readonly settled: Promise<unknown>;
};

/** Recognizes scans until the signal is aborted. */
export function recognizeScans({ place, isKnown }: Handlers, signal: AbortSignal): Scans {
  let burst = newBurst(-Infinity);
  /** What may have been typed, while the service is asked. */
  let asked: Promise<unknown> = Promise.resolve();
  /** Codes for the view that takes scans next. */
  const held: string[] = [];

  function pressed(event: KeyboardEvent): void {
    const { key, timeStamp, isTrusted, repeat, ctrlKey, altKey, metaKey, shiftKey, target } = event;
    if (!isTrusted || ['Shift', 'AltGraph', 'CapsLock'].includes(key)) return;
    const isCommand = metaKey || ctrlKey !== altKey; // AltGr is both
    const isSecret = target instanceof HTMLInputElement && target.type === 'password';
    const isLetter = key.length === 1 && !isCommand;
    const isEnd = !isCommand && (key === 'Enter' || (key === 'Tab' && !shiftKey));
    const pause = timeStamp - burst.at;
    if (burst.followsScan && pause <= (isEnd ? gapMillisecondsMax : fastMilliseconds)) {
      stopEvent(event);
      burst.at = timeStamp;
      if (isLetter) burst.code += key;
      if (isEnd) sayTooSoon();
    } else if (isOfInputMethod(event) || repeat || isSecret) burst = newBurst(timeStamp);
    else if (isEnd) ended(event, pause);
    else if (isLetter) added(event, pause);
    else if (pause <= fastMilliseconds && burst.code.length >= lettersMin && isScan(burst, burst.code, pause))
      stopEvent(event);
    else burst = newBurst(timeStamp);
  }

  /** A second scan that came so soon is said to be lost; what a code has after its end is shorter. */
  function sayTooSoon(): void {
    if (burst.code.length >= lettersMin) sayUnhandled(burst.code, 'tooSoon');
    burst.code = '';
  }

  function added(event: KeyboardEvent, pause: number): void {
    const control = controlAt(event.target);
    if (burst.code === '' || burst.followsScan || pause > gapMillisecondsMax)
      burst = newBurst(event.timeStamp);
    else {
      burst.gaps.push(pause);
      if (control === undefined) event.preventDefault(); // it is no key of its own
    }
    burst.code += event.key;
    burst.digits += digitOf(event) ?? ' ';
    burst.at = event.timeStamp;
    if (control !== undefined && !burst.before.has(control)) burst.before.set(control, control.value);
  }

  function ended(event: KeyboardEvent, pause: number): void {
    const last = burst;
    burst = newBurst(event.timeStamp);
    if (last.code === '' || last.followsScan || pause > gapMillisecondsMax) return;
    const code = scannedCode(last);
    const control = controlAt(event.target);
    const rule = control?.dataset['scan'];
    const isCode = isScan(last, code, pause) && !hasTypedBlanks(code, control);
    const wasScanned = isCode || (isLongGtin(code) && barcodeAsked()?.value === '');
    if (wasScanned || rule === 'code') {
      burst = { ...burst, followsScan: true };
      // what is found in the search is shown while the focus is there
      if (rule !== 'search') stopEvent(event);
      else if (event.key === 'Tab') event.preventDefault();
    }
    if (rule === 'search') {
      if (wasScanned) for (const each of last.before.keys()) enter(each, code);
    } else if (rule === 'code') {
      const isTaken = wasScanned || (isLikeCode(code) && isSteady(last, pause));
      for (const each of isTaken ? last.before.keys() : []) enter(each, code);
    } else if (wasScanned) {
      putBack(last);
      take(code);
    } else if (isLikeCode(code) && isToBeAsked(last, control, pause))
      asked = Promise.all([asked, takeIfKnown(last, code)]);
  }

  function take(code: string): void {
    const dialog = document.querySelector('dialog');
    const barcode = barcodeAsked();
    if (barcode?.value === '') enter(barcode, code);
    else if (dialog !== null) sayUnhandled(code, 'unwanted');
    else send(code);
  }

  /** Takes what a product has out of the fields that it went to, unless somebody has gone on there. */
  async function takeIfKnown(last: Burst, code: string): Promise<void> {
    const whole = [...last.before].map(([control]) => [control, control.value] as const);
    if (!(await isKnown(code).catch(() => false))) return;
    if (whole.some(([control, value]) => !control.value.startsWith(value))) return;
    putBack(last);
    send(code);
  }

  /** An input method, such as a phone’s scanner, puts in a whole code at once: it is no amount or quantity. */
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
    get heldCount() {
      return held.length;
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

function newBurst(at: number): Burst {
  return { code: '', digits: '', at, gaps: [], before: new Map(), followsScan: false };
}

/** An input method may have wide digits; on a French or Persian keyboard the keys of the digits say something else. */
function scannedCode({ code, digits }: Burst): string {
  return isBarcode(digits) ? digits : code.normalize('NFKC').trim();
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

/** A text expander is as fast as a scanner: in a field that nothing is looked up in, what has blanks is no code. */
function hasTypedBlanks(code: string, control: Control | undefined): boolean {
  if (control === undefined || control.type === 'search') return false;
  return /\s/.test(code) && document.querySelector('[data-scans]') === null;
}

/**
 * Whether the service is asked if what may have been typed is a product's code: where scans are taken, unless the field
 * looks it up itself, as it has the whole code; in the search of a list, if all that is there arrived steadily.
 */
function isToBeAsked(burst: Burst, control: Control | undefined, pause: number): boolean {
  const { before, code } = burst;
  const wasEmpty = [...before.values()].every((value) => value === '');
  const isLookedUp = control?.dataset['scan'] === 'item' && control.value.endsWith(code) && wasEmpty;
  if (document.querySelector('[data-scans]') !== null) return !isLookedUp;
  return control?.type === 'search' && control.value === code && isSteady(burst, pause);
}

/** The field of a question that asks for a barcode. While it is empty, one that comes slowly is for it, too. */
function barcodeAsked(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>('dialog [data-pointer="/barcode"]');
}

function isSteady({ gaps }: Burst, pause: number): boolean {
  const longest = Math.max(...gaps, pause);
  return longest <= steadyMillisecondsMax && longest - Math.min(...gaps, pause) <= steadyDifferenceMax;
}

/** Whether what was typed may be a code: a quantity, a name or a street is none. */
export function isLikeCode(code: string): boolean {
  return isBarcode(code) || /^(?=.*\d)(?=.*\D)\S{4,64}$/.test(code);
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
