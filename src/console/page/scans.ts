// Scans, whatever has the focus. A scanner is a keyboard that types faster than a person, and ends with Enter or Tab.
// Its keys go to whatever has the focus, so a scan is recognized only at its end: then the fields that received keys
// get their former texts back, and the Enter or Tab presses nothing. The code goes to the part of the page that takes
// scans (`data-scans`, by an event), or else to `place`, which knows the rest of the console.
//
// A code may contain anything: customers bring their own, some scanners send GS1's separator as F8, and many send a
// line feed after Enter. So only the characters of a scan have an effect, and the tail, the keys that follow the
// end at once, has none. Only the keys before the third character may as well be a person's.
//
// Some scanners are as slow as a fast typist, and a text expander is as fast as a scanner. A text that may have been
// typed stays in its field, and its Enter has its usual effect, until the service knows a product with that code; in
// the search of a list, only if it arrived too evenly for a person. In a field for a code (`data-scan="code"`), and in
// the empty barcode of a question, a scan stays. A field of an item (`data-scan="item"`) looks up itself what may have
// been typed, if it was empty. The search over all (`data-scan="search"`) looks up what is in it, and a scan takes the
// place of its text.
import { soundAlarm } from '../browser/alarm.ts';
import { isOfInputMethod } from '../browser/browser-gaps.ts';
import { notify } from '../forms/dialogs.ts';
import type { Control } from '../forms/forms.ts';
import type { Product } from '../words/api-types.ts';
import { isLikeCode } from '../words/codes.ts';
import { isGtin, isLongGtin } from '../words/gtin.ts';
import { t } from '../words/texts.ts';
import { fastMilliseconds, gapMillisecondsMax, KeyBurst } from './key-burst.ts';

/** A code, or a product that was chosen from a list in its place: its SKU may look like any other code. */
export type Scanned = string | Product;

type Handlers = {
  /** Finds the place of a code that no part of the page takes. */
  readonly place: (code: string) => void;
  /** Resolves to whether a product has this code. */
  readonly isKnown: (code: string) => Promise<boolean>;
};

/** Recognizes scans until the signal is aborted. */
export class Scans {
  readonly #handlers: Handlers;
  #burst = new KeyBurst();
  /** The time of its last key, and its characters since the last Enter or Tab. */
  #tail: { readonly at: number; readonly characters: string } | undefined;
  /** For the part of a page that takes scans next. */
  readonly #held: Scanned[] = [];
  #settled: Promise<unknown> = Promise.resolve();

  constructor(handlers: Handlers, signal: AbortSignal) {
    this.#handlers = handlers;
    const options = { capture: true, signal };
    window.addEventListener('keydown', (event) => this.#pressed(event), options);
    window.addEventListener('beforeinput', (event) => this.#inserted(event), options);
  }

  /** Keeps what was scanned until `deliver` is called and a part of the page takes scans. */
  hold(scanned: Scanned): void {
    this.#held.push(scanned);
  }

  get heldCount(): number {
    return this.#held.length;
  }

  /** To be called when a part that takes scans is shown, which may hold them again. */
  deliver(): void {
    for (const scanned of this.#held.splice(0)) if (!isTakenByPage(scanned)) this.hold(scanned);
  }

  /** Resolves once what may have been typed was taken, or stays where it is. */
  get settled(): Promise<unknown> {
    return this.#settled;
  }

  #pressed(event: KeyboardEvent): void {
    if (!event.isTrusted || ['Shift', 'AltGraph', 'CapsLock'].includes(event.key)) return;
    const kind = keyKindOf(event);
    if (this.#absorbsTail(event, kind)) return stopEvent(event);
    if (isOfInputMethod(event) || event.repeat || isSecret(event.target)) this.#burst = new KeyBurst();
    else if (kind === 'end') this.#ended(event);
    else if (kind === 'character') this.#added(event);
    else if (this.#burst.isScanning(event.timeStamp)) stopEvent(event);
    else this.#burst = new KeyBurst();
  }

  /** Whether the key is in a scan's tail. A tail that is as long as a code is reported as a scan that is lost. */
  #absorbsTail({ key, timeStamp }: KeyboardEvent, kind: Kind): boolean {
    const tail = this.#tail;
    this.#tail = undefined;
    const pauseMax = kind === 'end' ? gapMillisecondsMax : fastMilliseconds;
    if (tail === undefined || timeStamp - tail.at > pauseMax) return false;
    let { characters } = tail;
    if (kind === 'character') characters += key;
    if (kind === 'end' && characters.length >= lostCharactersMin) sayUnhandled(characters, 'tooSoon');
    this.#tail = { at: timeStamp, characters: kind === 'end' ? '' : characters };
    return true;
  }

  #added(event: KeyboardEvent): void {
    const control = controlAt(event.target);
    const { timeStamp } = event;
    const burst = this.#burst;
    if (!burst.continuesAt(timeStamp))
      this.#burst = new KeyBurst(burst.isHeadAt(timeStamp) ? burst : undefined);
    else if (control === undefined) event.preventDefault(); // part of a scan, not a key of its own
    this.#burst.add(event, control);
  }

  #ended(event: KeyboardEvent): void {
    const { timeStamp, key, target } = event;
    const burst = this.#burst;
    this.#burst = new KeyBurst();
    if (!burst.continuesAt(timeStamp)) return;
    const { code } = burst;
    const control = controlAt(target);
    const rule = control?.dataset['scan'];
    const isFast = burst.isScan(timeStamp);
    const isCode = isFast && !(isOfWords(code) && isTextField(control));
    const isScan = isCode || (isLongGtin(code) && barcodeAsked()?.value === '');
    if (!isScan && rule !== 'code') {
      const mayBeCode = isFast || isLikeCode(code);
      if (rule !== 'search' && mayBeCode && isToBeAsked(burst, control, timeStamp))
        this.#settled = Promise.all([this.#settled, this.#takeIfKnown(burst)]);
      return;
    }
    this.#tail = { at: timeStamp, characters: '' };
    if (rule !== 'search') stopEvent(event);
    else if (key === 'Tab') event.preventDefault(); // results are shown only while the search has the focus
    if (rule === undefined || rule === 'item') {
      putBack(burst);
      this.#take(code);
    } else if (isScan || (isLikeCode(code) && burst.isSteady(timeStamp)))
      for (const each of burst.before.keys()) enter(each, code);
  }

  #take(code: string): void {
    const barcode = barcodeAsked();
    if (barcode?.value === '') enter(barcode, code);
    else if (document.querySelector('dialog') !== null) sayUnhandled(code, 'unwanted');
    else this.#send(code);
  }

  /** Once a product has the code, removes it from the fields that received it, unless somebody has typed on there. */
  async #takeIfKnown(burst: KeyBurst): Promise<void> {
    const typed = [...burst.before.keys()].map((control) => [control, control.value] as const);
    if (!(await this.#handlers.isKnown(burst.code).catch(() => false))) return;
    if (!typed.every(([control, value]) => control.value.startsWith(value))) return;
    putBack(burst);
    this.#send(burst.code);
  }

  /** An input method, such as a phone’s scanner, puts in a whole code at once: it is no amount or quantity. */
  #inserted(event: InputEvent): void {
    const { isTrusted, inputType, target, data } = event;
    const control = controlAt(target);
    const isNumber = control !== undefined && isNumberField(control);
    const code = data?.trim() ?? '';
    if (!isTrusted || !isNumber || inputType !== 'insertText' || !isGtin(code)) return;
    stopEvent(event);
    this.#send(code);
  }

  #send(code: string): void {
    if (!isTakenByPage(code)) this.#handlers.place(code);
  }
}

/** What a code has after its end is shorter. */
const lostCharactersMin = 3;
/** What is shown of a code: a QR code may have thousands of characters, a SKU has 64. */
const shownMax = 64;

type Kind = 'character' | 'end' | 'other';

function keyKindOf({ key, ctrlKey, altKey, metaKey, shiftKey }: KeyboardEvent): Kind {
  const isCommand = metaKey || ctrlKey !== altKey; // AltGr is both
  if (isCommand) return 'other';
  if (key === 'Enter' || (key === 'Tab' && !shiftKey)) return 'end';
  return key.length === 1 ? 'character' : 'other';
}

function isSecret(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'password';
}

/** Whether a text expander may have typed it, or somebody beside an input method: it has a blank, or no digit. */
function isOfWords(code: string): boolean {
  return /\s/.test(code) || !/\d/.test(code);
}

/** Whether it is a field for words, in which nothing is looked up. */
function isTextField(control: Control | undefined): boolean {
  if (control === undefined || control instanceof HTMLSelectElement) return false;
  const isLookedUp = control.type === 'search' || control.role === 'combobox';
  return !isLookedUp && control.dataset['scan'] === undefined && !isNumberField(control);
}

function isNumberField({ inputMode, type }: Control): boolean {
  return /^(numeric|decimal)$/.test(inputMode) && type === 'text';
}

/**
 * Whether the service is asked if what may have been typed is a product's code: where scans are taken, unless the field
 * looks it up itself, as it has the whole code; in the search of a list, if all that is there arrived steadily.
 */
function isToBeAsked(burst: KeyBurst, control: Control | undefined, time: number): boolean {
  const { before, code } = burst;
  if (document.querySelector('[data-scans]') === null)
    return control?.type === 'search' && control.value === code && burst.isSteady(time);
  const wasEmpty = [...before.values()].every((value) => value === '');
  return !(control?.dataset['scan'] === 'item' && control.value.endsWith(code) && wasEmpty);
}

/** The field of a question that asks for a barcode. While it is empty, one that comes slowly is for it, too. */
function barcodeAsked(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>('dialog [data-pointer="/barcode"]');
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
function isTakenByPage(scanned: Scanned): boolean {
  const part = document.querySelector('main [data-scans]');
  part?.dispatchEvent(scanEvent(scanned));
  return part !== null;
}

export function scanEvent(scanned: Scanned): Event {
  return new CustomEvent('scan', { detail: scanned, bubbles: true });
}

export function scannedIn(event: Event): Scanned {
  return (event as CustomEvent<Scanned>).detail; // only `scanEvent` makes events of this type
}

function stopEvent(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function putBack({ before }: KeyBurst): void {
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
