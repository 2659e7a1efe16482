// What this device remembers for all who work at it: whether something is on.
import { storage } from './browser-gaps.ts';
import { h } from './elements.ts';
import { checkbox } from './forms.ts';

export class DeviceSwitch {
  readonly #key: string;
  readonly #isOnAtFirst: boolean;

  constructor(name: string, isOnAtFirst: boolean) {
    this.#key = `orderly-${name}`;
    this.#isOnAtFirst = isOnAtFirst;
  }

  get isOn(): boolean {
    return (storage.read(this.#key) === null) === this.#isOnAtFirst;
  }

  set isOn(isOn: boolean) {
    if (isOn === this.#isOnAtFirst) storage.remove(this.#key);
    else storage.write(this.#key, isOn ? 'on' : 'off');
  }

  /** A checkbox that turns it on and off, and its label. */
  row(label: string): HTMLElement {
    const box = h('input', { type: 'checkbox', id: this.#key, checked: this.isOn });
    box.addEventListener('change', () => (this.isOn = box.checked));
    return checkbox(box, label);
  }
}

/** Whether an administrator at this device has put off the questions about the shop. */
export const shopLater = new DeviceSwitch('shop-later', false);
