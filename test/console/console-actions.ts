// Actions in the console for its checks in a browser: by mouse, touch or keyboard only.
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

type Place = { readonly x: number; readonly y: number; readonly isSame: boolean };

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

  async go(hash: string): Promise<void> {
    await this.tab.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await this.settle();
  }

  /** Gives the new order up that has begun, if one has. */
  async startOver(): Promise<void> {
    await this.tab.evaluate(`[...document.querySelectorAll('.tools button')]
      .find((each) => each.textContent === 'Start over' && !each.hidden)?.click()`);
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

  /** Clicks once the element stays where it is: a page that is still being drawn would lose the click. */
  async #click(target: string): Promise<void> {
    let place = await this.#placeOf(target);
    while (!place.isSame) {
      await wait(20);
      place = await this.#placeOf(target);
    }
    const at = { x: place.x, y: place.y, button: 'left', clickCount: 1 };
    await this.tab.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
    await this.tab.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
  }

  /** The position of the element, and whether it is the same element as at the last call. */
  async #placeOf(target: string): Promise<Place> {
    await this.tab.until(target);
    return this.tab.evaluate<Place>(`{
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
