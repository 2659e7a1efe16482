// Finds customers while the user types, as an ARIA combobox.
import { query } from './api-client.ts';
import type { Customer, List } from './api-types.ts';
import type { Page } from './view.ts';
import { fill, h } from './elements.ts';
import { field } from './forms.ts';

const foundMax = 8;
const typingMilliseconds = 40;

type Choices = {
  readonly onChoice: (customer: Customer | undefined) => void;
  /** Receives what was typed, as the name of a customer to create. */
  readonly onNew: (name: string) => void;
};
type Option = {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly choose: () => void;
};

export class CustomerPicker {
  readonly element: HTMLElement;
  readonly control: HTMLInputElement;
  readonly #page: Page;
  readonly #list = h('ul', {
    role: 'listbox',
    id: 'customers-found',
    'aria-label': 'Customers',
    hidden: true,
  });
  readonly #choices: Choices;
  #options: readonly Option[] = [];
  #active = 0;
  #timer = 0;
  #search = new AbortController();

  constructor(page: Page, choices: Choices) {
    this.#page = page;
    this.#choices = choices;
    this.control = h('input', {
      type: 'text',
      role: 'combobox',
      autocomplete: 'off',
      spellcheck: 'false',
      maxlength: 100,
      placeholder: 'Name, e-mail, phone or number',
      'aria-autocomplete': 'list',
      'aria-controls': 'customers-found',
      'aria-expanded': 'false',
    });
    const { row } = field({ label: 'Customer', pointer: '/customerId', control: this.control, isWide: true });
    this.element = h('div', { class: 'picker' }, row, this.#list);
    this.control.addEventListener('input', () => this.#typed());
    this.control.addEventListener('keydown', (event) => this.#pressed(event));
    this.control.addEventListener('blur', () => this.#close());
  }

  choose(customer: Customer): void {
    this.control.value = customer.name;
    this.#close();
    this.#choices.onChoice(customer);
  }

  #typed(): void {
    this.#choices.onChoice(undefined);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#find(), typingMilliseconds);
  }

  async #find(): Promise<void> {
    const q = this.control.value.trim();
    this.#search.abort(new Error('overtaken'));
    if (q === '') return this.#close();
    this.#search = new AbortController();
    const { signal } = this.#search;
    const path = `/customers?${query({ q, limit: foundMax })}`;
    const found = await this.#page.client.get<List<Customer>>(path, signal).catch(() => undefined);
    if (found === undefined || signal.aborted || document.activeElement !== this.control) return;
    this.#options = [...found.data.map((customer) => this.#optionOf(customer)), this.#newOption(q)];
    this.#active = 0;
    this.#draw();
  }

  #optionOf(customer: Customer): Option {
    const { id, name, email, address } = customer;
    const about = [email, address?.city].filter(Boolean).join(' · ');
    return { id: `customer-${id}`, name, about, choose: () => this.choose(customer) };
  }

  #newOption(name: string): Option {
    const choose = (): void => {
      this.#close();
      this.#choices.onNew(name);
    };
    return { id: 'customer-new', name: `New customer “${name}”`, about: '', choose };
  }

  #draw(): void {
    const options = this.#options.map(({ id, name, about, choose }, index) => {
      const onpointerdown = (event: Event): void => {
        event.preventDefault(); // the field keeps the focus
        choose();
      };
      const isActive = String(index === this.#active);
      const attributes = { role: 'option', id, 'aria-selected': isActive, onpointerdown };
      return h('li', attributes, h('span', {}, name), h('span', { class: 'soft' }, about));
    });
    fill(this.#list, options);
    this.#list.hidden = false;
    this.control.setAttribute('aria-expanded', 'true');
    this.control.setAttribute('aria-activedescendant', this.#options[this.#active]?.id ?? '');
  }

  #pressed(event: KeyboardEvent): void {
    if (this.#list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const { length } = this.#options;
    if (step !== undefined) {
      this.#active = (this.#active + step + length) % length;
      this.#draw();
    } else if (event.key === 'Enter') this.#options[this.#active]?.choose();
    else if (event.key === 'Escape') this.#close();
    else return;
    event.preventDefault();
  }

  #close(): void {
    this.#list.hidden = true;
    this.control.setAttribute('aria-expanded', 'false');
    this.control.removeAttribute('aria-activedescendant');
  }
}
