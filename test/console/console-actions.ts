// Actions in the console for its checks in a browser: by mouse, touch or keyboard only.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Tab } from '../support/browser.ts';

export type Hand = 'mouse' | 'keyboard';

/** Runs in the page: finds the visible element with this role and name, in the last dialog that is open. */
const find = String.raw`(selector, name) => {
  const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  const named = (each) => (each.ariaLabel ?? each.textContent).trim().replace(/\s+/g, ' ');
  const seen = [...scope.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  return seen.find((each) => named(each) === name) ?? seen.find((each) => named(each).startsWith(name));
}`;

/** A place in the page, in pixels. */
export type Place = { readonly x: number; readonly y: number };

const pressable = 'button, a, summary, [role="option"]';

export class Person {
  readonly tab: Tab;
  readonly #hand: Hand;

  constructor(tab: Tab, hand: Hand) {
    this.tab = tab;
    this.#hand = hand;
  }

  /** Presses a button or follows a link, once it is there. */
  async press(name: string): Promise<void> {
    const target = `(${find})(${JSON.stringify(pressable)}, ${JSON.stringify(name)})`;
    await this.tab.until(target);
    if (this.#hand === 'mouse') return this.#click(target);
    await this.#tabTo(target);
    await this.tab.press('Enter');
  }

  /** Replaces the text of the field with this label by typing. */
  async enter(label: string, text: string): Promise<void> {
    const target = `document.getElementById((${find})('label', ${JSON.stringify(label)})?.htmlFor)`;
    await this.tab.until(target);
    if (this.#hand === 'mouse') await this.#click(target);
    else await this.#tabTo(target);
    await this.tab.evaluate('document.activeElement.select?.()');
    await this.tab.type(text);
  }

  /** Finds a customer in the form of an order, and takes the first. */
  async chooseCustomer(words: string): Promise<void> {
    await this.enter('Customer', words);
    await this.tab.until('document.querySelector("[role=option][aria-selected=true]")');
    await this.tab.press('Enter');
  }

  /** Types into the search of a list. */
  async search(words: string): Promise<void> {
    await this.tab.evaluate('document.querySelector("main [type=search]").focus()');
    await this.tab.type(words);
  }

  async check(label: string): Promise<void> {
    const target = `document.getElementById((${find})('label', ${JSON.stringify(label)})?.htmlFor)`;
    await this.tab.until(target);
    if (this.#hand === 'mouse') return this.#click(target);
    await this.#tabTo(target);
    await this.tab.press(' ');
  }

  /** Moves the mouse to where nothing is. */
  async leave(): Promise<void> {
    await this.tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 5, y: 5 });
  }

  async see(text: string): Promise<void> {
    await this.tab.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  /** Fails if the page shows the text now. */
  async miss(text: string): Promise<void> {
    const shown = await this.tab.evaluate<string>('document.body.innerText');
    assert.ok(!shown.includes(text), `${text} is in\n${shown}`);
  }

  /** Waits until the field with this pointer has this value. */
  async seeEntered(pointer: string, value: string): Promise<void> {
    await this.tab.until(`${fieldAt(pointer)}?.value === ${JSON.stringify(value)}`);
  }

  valueOf(pointer: string): Promise<string> {
    return this.tab.evaluate(`${fieldAt(pointer)}.value`);
  }

  /** Chooses from the first list that matches the selector. */
  async choose(selector: string, value: string): Promise<void> {
    await this.tab.until(`document.querySelector(${JSON.stringify(selector)})`);
    await this.tab.evaluate(`{
      const control = document.querySelector(${JSON.stringify(selector)});
      control.value = ${JSON.stringify(value)};
      for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
    }`);
  }

  async go(hash: string): Promise<void> {
    await this.tab.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await this.settle();
  }

  /** Gives the new order up that has begun, if one has. */
  async startOver(): Promise<void> {
    await this.tab.evaluate(`[...document.querySelectorAll('.tools button')]
      .find((each) => each.textContent === 'Start over' && !each.hidden)?.click()`);
  }

  /** No question of the browser may come up: it would hold the page. */
  async reload(): Promise<void> {
    await this.tab.evaluate('window.isOld = true');
    await this.tab.send('Page.reload');
    await this.tab.until('!window.isOld && document.querySelector(".frame")');
  }

  async ctrlEnter(): Promise<void> {
    const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, modifiers: 2 };
    for (const type of ['keyDown', 'keyUp']) await this.tab.send('Input.dispatchKeyEvent', { type, ...key });
  }

  /** Waits until all responses have been drawn. */
  async settle(): Promise<void> {
    await wait(60);
    await this.tab.until('!document.querySelector("[aria-busy], .skeleton, [aria-disabled=true]")');
  }

  async signIn(url: string, { email, password }: { email: string; password: string }): Promise<void> {
    await this.tab.open(`${url}/console`);
    await this.enter('E-mail', email);
    await this.enter('Password', password);
    await this.press('Sign in');
    await this.tab.until('document.querySelector(".frame")');
    await this.leave(); // the rows of a list under the mouse would wait
    await this.settle();
  }

  /** `clickCount` is 2 for the second click of a double click. */
  async clickAt({ x, y }: Place, clickCount = 1): Promise<void> {
    for (const type of ['mousePressed', 'mouseReleased'])
      await this.tab.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount });
  }

  /** Clicks once the element stays where it is: a page that is still being drawn would lose the click. */
  async #click(target: string): Promise<void> {
    let place = await this.#placeOf(target);
    while (!place.isSame) {
      await wait(20);
      place = await this.#placeOf(target);
    }
    await this.clickAt(place);
  }

  /** The position of the element, and whether it is the same element as at the last call. */
  async #placeOf(target: string): Promise<Place & { readonly isSame: boolean }> {
    await this.tab.until(target);
    return this.tab.evaluate(`{
      const element = ${target};
      element?.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
      const last = window.aimedAt;
      window.aimedAt = { element, x, y };
      const isSame = element !== undefined && last?.element === element && last.x === x && last.y === y;
      ({ x: x + width / 2, y: y + height / 2, isSame });
    }`);
  }

  /** With the Tab key only: fails if the element can't be reached. */
  async #tabTo(target: string): Promise<void> {
    for (let presses = 0; presses < 150; presses += 1) {
      if (await this.tab.evaluate<boolean>(`document.activeElement === ${target}`)) return;
      await this.tab.press('Tab');
    }
    throw new Error(`not reached by Tab: ${target}`);
  }
}

/** The first field in the page with this pointer. */
export function fieldAt(pointer: string): string {
  return `document.querySelector('[data-pointer="${pointer}"]')`;
}

/** The middle of an element. */
export function middleOf(tab: Tab, element: string): Promise<Place> {
  return tab.evaluate(`{
    const { x, y, width, height } = ${element}.getBoundingClientRect();
    ({ x: x + width / 2, y: y + height / 2 });
  }`);
}

/** The row of an order in a list of the page. */
export function rowOf(id: number): string {
  return `document.querySelector('main tr:has([href="#/orders/${id}"])')`;
}

/**
 * From then on requests of the page whose path begins with that of `holdOnly` wait for `letGo`; `held` has their paths.
 */
export const holdRequests = `{
  const send = fetch;
  let [prefix, gate] = [null, Promise.withResolvers()];
  window.held = [];
  window.holdOnly = (path) => {
    prefix = path;
    letGo();
  };
  window.letGo = () => {
    gate.resolve();
    gate = Promise.withResolvers();
    held.length = 0;
  };
  window.fetch = async (path, options) => {
    if (prefix === null || !path.startsWith(prefix)) return send(path, options);
    held.push(path);
    await gate.promise;
    return send(path, options);
  };
}`;

/** From then on `saved` in the page is the file that is saved last. */
export function keepSaved(tab: Tab): Promise<unknown> {
  return tab.evaluate(`{
    const create = URL.createObjectURL;
    URL.createObjectURL = (file) => create.call(URL, (window.saved = file));
  }`);
}

export async function network(
  tab: Tab,
  { offline = false, latency = 0, bytesPerSecond = -1 },
): Promise<void> {
  await tab.send('Network.enable');
  const rates = { downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond };
  await tab.send('Network.emulateNetworkConditions', { offline, latency, ...rates });
}
