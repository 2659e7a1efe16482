// Finds customers while the user types, as an ARIA combobox.
import { query } from './api-client.ts';
import type { Customer, List } from './api-types.ts';
import type { Page } from './view.ts';
import { fill, h } from './elements.ts';
import { field } from './forms.ts';

const foundMax = 8;
const typingMilliseconds = 40;

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
  readonly #onChoice: (customer: Customer | undefined) => void;
  #found: readonly Customer[] = [];
  #active = -1;
  #timer = 0;
  #search = new AbortController();

  constructor(page: Page, onChoice: (customer: Customer | undefined) => void) {
    this.#page = page;
    this.#onChoice = onChoice;
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
    this.#onChoice(customer);
  }

  #typed(): void {
    this.#onChoice(undefined);
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
    this.#found = found.data;
    this.#active = this.#found.length > 0 ? 0 : -1;
    this.#draw();
  }

  #draw(): void {
    const options = this.#found.map((customer, index) => {
      const { id, name, email, address } = customer;
      const about = [email, address?.city].filter(Boolean).join(' · ');
      return h(
        'li',
        {
          role: 'option',
          id: `customer-${id}`,
          'aria-selected': String(index === this.#active),
          onpointerdown: (event) => {
            event.preventDefault(); // the field keeps the focus
            this.choose(customer);
          },
        },
        h('span', {}, name),
        h('span', { class: 'soft' }, about),
      );
    });
    fill(
      this.#list,
      options.length > 0
        ? options
        : h('li', { class: 'soft', role: 'option', 'aria-disabled': 'true' }, 'Nobody found.'),
    );
    this.#list.hidden = false;
    this.control.setAttribute('aria-expanded', 'true');
    const active = this.#found[this.#active];
    if (active === undefined) this.control.removeAttribute('aria-activedescendant');
    else this.control.setAttribute('aria-activedescendant', `customer-${active.id}`);
  }

  #pressed(event: KeyboardEvent): void {
    if (this.#list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const active = this.#found[this.#active];
    if (step !== undefined && this.#found.length > 0) {
      this.#active = (this.#active + step + this.#found.length) % this.#found.length;
      this.#draw();
    } else if (event.key === 'Enter' && active !== undefined) this.choose(active);
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
