// Finds customers while the user types, as an ARIA combobox. Only an answer to what is in the field now has
// options: with the next letter all earlier ones are void, and Enter waits for the answer.
import { type ApiClient, query } from './api-client.ts';
import type { Customer, List } from './api-types.ts';
import { aboutCustomer } from './customer-words.ts';
import { fill, h } from './elements.ts';
import { field, showIssue } from './forms.ts';
import { Scans } from './scans.ts';
import { t } from './texts.ts';

const foundMax = 8;
const typingMilliseconds = 40;
const newOptionId = 'customer-new';

/** The shop’s customer for sales without a name; there is one of them, with its name in one of the languages. */
export const walkInNames: readonly string[] = ['Walk-in', 'Laufkundschaft'];
export const walkInName = t('Walk-in');
const walkInText = t('A sale without a name');

export const nobodyIsChosen = t('Choose a customer from the list, or enter a new one.');

type Choices = {
  readonly onChoice: (customer: Customer | undefined) => void;
  readonly onWalkIn: () => void;
  /** Receives what was typed, as the name of a customer to create. */
  readonly onNew: (name: string) => void;
  /** Resolves to whether a code that was scanned is a product’s. */
  readonly onScan: (code: string) => Promise<boolean>;
  /** Enter was pressed, and a customer is chosen: the next field is wanted. */
  readonly onNext: () => void;
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
  readonly #client: ApiClient;
  readonly #list = h('ul', {
    role: 'listbox',
    id: 'customers-found',
    'aria-label': t('Customers'),
    hidden: true,
  });
  /** Tells the chosen customer from others of the same name. */
  readonly #about = h('p', { class: 'hint', role: 'status' });
  readonly #choices: Choices;
  /** Empty unless the list is open and answers what is in the field. */
  #options: readonly Option[] = [];
  #active = 0;
  #timer = 0;
  #search = new AbortController();
  #isSearching = false;
  /** Whether Enter was pressed while the look-up runs. */
  #isEntered = false;
  #isChosen = false;
  /** The last choice. */
  #chosen: { readonly name: string; readonly again: () => void } | undefined;
  readonly #scans: Scans;

  constructor(client: ApiClient, choices: Choices) {
    this.#client = client;
    this.#choices = choices;
    this.control = h('input', {
      type: 'text',
      role: 'combobox',
      autocomplete: 'off',
      spellcheck: 'false',
      maxlength: 100,
      placeholder: t('Name, e-mail, phone or number'),
      'aria-autocomplete': 'list',
      'aria-controls': 'customers-found',
      'aria-expanded': 'false',
    });
    const { row } = field({
      label: t('Customer'),
      pointer: '/customerId',
      control: this.control,
      isWide: true,
    });
    this.element = h('div', {}, h('div', { class: 'picker' }, row, this.#list), this.#about);
    this.#scans = new Scans(this.control);
    this.control.addEventListener('input', () => this.#typed());
    this.control.addEventListener('keydown', (event) => this.#pressed(event));
    this.control.addEventListener('blur', () => this.#close());
  }

  /** Whether nothing was typed or chosen yet. */
  get isEmpty(): boolean {
    return this.control.value.trim() === '';
  }

  choose(customer: Customer): void {
    this.#chosen = { name: customer.name, again: () => this.choose(customer) };
    this.control.value = customer.name;
    this.#isChosen = true;
    this.#close();
    const { id, phone, email, address } = customer;
    const details = [t('Customer {id}', { id }), phone, email, address?.city].filter(
      (each) => typeof each === 'string',
    );
    fill(this.#about, h('bdi', {}, details.join(' · ')));
    this.#choices.onChoice(customer);
  }

  chooseWalkIn(): void {
    this.#chosen = { name: walkInName, again: () => this.chooseWalkIn() };
    this.control.value = walkInName;
    this.#isChosen = true;
    fill(this.#about, walkInText);
    this.#close();
    this.#choices.onWalkIn();
  }

  /** Browsers dispatch no event for what a script has entered. */
  announce(): void {
    this.control.dispatchEvent(new Event('change', { bubbles: true }));
  }

  #typed(): void {
    this.#isChosen = false;
    fill(this.#about);
    this.#choices.onChoice(undefined);
    this.#find(typingMilliseconds);
  }

  /** The options of the list stay in sight until the answer, but nobody can choose them. */
  #find(pauseMilliseconds: number): void {
    this.#void();
    if (this.isEmpty) return this.#close();
    this.#isSearching = true;
    this.#list.setAttribute('aria-busy', 'true');
    this.#timer = setTimeout(() => void this.#lookUp(), pauseMilliseconds);
  }

  /** Cancels the look-up, and makes the options of the one before void. */
  #void(): void {
    clearTimeout(this.#timer);
    this.#search.abort(new Error('overtaken'));
    this.#isSearching = false;
    this.#isEntered = false;
    this.#options = [];
    this.control.removeAttribute('aria-activedescendant');
    for (const option of this.#list.children) option.setAttribute('aria-selected', 'false');
  }

  async #lookUp(): Promise<void> {
    const q = this.control.value.trim();
    this.#search = new AbortController();
    const { signal } = this.#search;
    const path = `/customers?${query({ q, limit: foundMax })}`;
    const found = await this.#client.get<List<Customer>>(path, signal).catch(() => undefined);
    if (signal.aborted) return;
    const isEntered = this.#isEntered;
    this.#close();
    if (found === undefined) return showIssue(this.control, t('Customers can’t be looked up at the moment.'));
    if (document.activeElement !== this.control) return;
    this.#options = [...found.data.map((customer) => this.#optionOf(customer, q)), this.#newOption(q)];
    this.#active = 0;
    if (isEntered) this.#chooseAndGoOn(this.#options[0]);
    else this.#draw();
  }

  #optionOf(customer: Customer, q: string): Option {
    const { id, name } = customer;
    const about = aboutCustomer(customer, q);
    return { id: `customer-${id}`, name, about, choose: () => this.choose(customer) };
  }

  #offerWalkIn(): void {
    const choose = (): void => this.chooseWalkIn();
    this.#options = [{ id: 'customer-walk-in', name: walkInName, about: walkInText, choose }];
    this.#active = 0;
    this.#draw();
  }

  #newOption(name: string): Option {
    const choose = (): void => {
      this.#close();
      this.#choices.onNew(name);
    };
    return { id: newOptionId, name: t('New customer “{name}”', { name }), about: '', choose };
  }

  #draw(): void {
    const options = this.#options.map((option, index) => {
      const { id, name, about } = option;
      const onpointerdown = (event: Event): void => {
        event.preventDefault(); // the field keeps the focus
        if (this.#options.includes(option)) this.#chooseAndGoOn(option);
      };
      const isActive = String(index === this.#active);
      const attributes = { role: 'option', id, 'aria-selected': isActive, onpointerdown };
      return h('li', attributes, h('bdi', {}, name), h('bdi', { class: 'soft' }, about));
    });
    fill(this.#list, options);
    this.#list.hidden = false;
    this.control.setAttribute('aria-expanded', 'true');
    this.control.setAttribute('aria-activedescendant', this.#options[this.#active]?.id ?? '');
  }

  #pressed(event: KeyboardEvent): void {
    const { key, isComposing, ctrlKey, metaKey, shiftKey } = event;
    if (isComposing || ctrlKey || metaKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (key === 'Tab' && !shiftKey) return this.#leave(event);
    const code = key === 'Enter' ? this.#scans.take(event) : undefined;
    if (code !== undefined) void this.#scanned(code);
    else if (key === 'Enter') this.#enter();
    else if (step !== undefined && this.#options.length > 0) this.#move(step);
    else if (key === 'Escape' && !this.#list.hidden) this.#close();
    else return;
    event.preventDefault();
  }

  #move(step: number): void {
    const { length } = this.#options;
    this.#active = (this.#active + step + length) % length;
    this.#draw();
  }

  /** Never sends the form. */
  #enter(): void {
    const active = this.#options[this.#active];
    if (active !== undefined) this.#chooseAndGoOn(active);
    else if (this.#isChosen) this.#choices.onNext();
    else if (this.isEmpty) this.#offerWalkIn();
    else if (this.#isSearching) this.#isEntered = true;
    else this.#find(0);
  }

  /** What is scanned may be one of the items, although the focus is still here, or a customer’s number. */
  async #scanned(code: string): Promise<void> {
    const { control } = this;
    if (control.value === this.#chosen?.name) this.#chosen.again();
    else this.#find(0);
    const isProduct = await this.#choices.onScan(code);
    if (isProduct || !this.isEmpty) return;
    control.value = code;
    this.#find(0);
  }

  /** A new customer’s name takes the focus itself. */
  #chooseAndGoOn(option: Option | undefined): void {
    option?.choose();
    if (!this.#isChosen) return;
    this.announce();
    this.#choices.onNext();
  }

  /** Tab chooses like Enter, but waits for no answer. */
  #leave(event: Event): void {
    const active = this.#options[this.#active];
    if (active !== undefined) {
      event.preventDefault();
      this.#chooseAndGoOn(active);
    } else if (!this.#isChosen && !this.isEmpty) showIssue(this.control, nobodyIsChosen);
  }

  #close(): void {
    this.#void();
    this.#list.removeAttribute('aria-busy');
    this.#list.hidden = true;
    this.control.setAttribute('aria-expanded', 'false');
  }
}
