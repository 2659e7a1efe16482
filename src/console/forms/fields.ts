// The fields of an object, made from its members: what is entered in each, what may be wrong with it, and its value in
// words.
import { hasRegion } from '../words/address-order.ts';
import type { Address, Issue } from '../words/api-types.ts';
import { type Attributes, button, type Child, fill, h } from '../browser/elements.ts';
import {
  addressLines,
  countryChoices,
  countryName,
  dateTime,
  homeCountry,
  money,
  priceIssue,
  priceText,
  shopCurrency,
  typedPrice,
} from '../words/formats.ts';
import {
  checkbox,
  choice,
  type Control,
  currencyChoice,
  enterText,
  enterValue,
  field,
  showIssue,
  textOf,
} from './forms.ts';
import { shopOfPage } from '../words/page-meta.ts';
import { phoneFromAbroad } from '../words/phone-numbers.ts';
import { t } from '../words/texts.ts';

export type Member = {
  /** What the API calls it. */
  readonly name: string;
  readonly label: string;
  /** Text on one line, unless it is another kind. A price is in the currency of the member `currency`. */
  readonly kind?:
    'note' | 'number' | 'time' | 'price' | 'currency' | 'flag' | 'choice' | 'choices' | 'address' | 'phone';
  readonly hint?: string;
  /** Whether it is sent as an empty text where nothing is entered: the service says what it has to be. */
  readonly isRequired?: true;
  /** The member whose value it gets where nothing is entered. */
  readonly defaultsTo?: string;
  readonly isWide?: true;
  /** Of a choice, or of several that may be ticked. */
  readonly values?: readonly (readonly [value: string, label: string])[];
  /** What a new object has. */
  readonly first?: unknown;
  readonly attributes?: Attributes;
  /** Returns what is to be known of a text that was entered: it is said below the field. */
  readonly check?: (text: string) => Promise<Child>;
};

type Values = Readonly<Record<string, unknown>>;

type Input = {
  readonly elements: readonly Child[];
  readonly read: () => unknown;
  readonly write: (value: unknown) => void;
  readonly issues?: () => readonly Issue[];
};

export type Fields = {
  readonly element: HTMLElement;
  readonly read: () => Values;
  /** What is wrong before the service is asked. */
  readonly issues: () => readonly Issue[];
  /** Enters the values of these members. */
  readonly write: (values: Values) => void;
};

type FieldsOptions = {
  /** The place of the object in the request: `/customer`. */
  readonly pointer?: string;
  readonly values?: Values | undefined;
  /** Returns the address beside a phone number, unless it is the member `address`. */
  readonly address?: () => unknown;
};

/** What the input of one member has to know of other members. */
type Others = { readonly currency: () => string; readonly address: () => unknown };

export function fieldsOf(members: readonly Member[], options: FieldsOptions = {}): Fields {
  const { pointer = '', values, address = () => inputs.get('address')?.read() } = options;
  const inputs = new Map<string, Input>();
  const currency = (): string => String(inputs.get('currency')?.read() ?? shopCurrency());
  for (const member of members)
    inputs.set(member.name, inputOf(member, `${pointer}/${member.name}`, { currency, address }));
  const all = [...inputs.values()];
  function write(given: Values): void {
    // a price is written in its currency
    for (const name of new Set(['currency', ...inputs.keys()]))
      if (name in given) inputs.get(name)?.write(given[name]);
    for (const { name, defaultsTo } of members)
      if (defaultsTo !== undefined && name in given && given[name] === given[defaultsTo])
        inputs.get(name)?.write(null); // it follows that member
  }
  write(values ?? Object.fromEntries(members.map(({ name, first = null }) => [name, first])));
  return {
    element: h(
      'div.grid',
      all.map(({ elements }) => elements),
    ),
    read() {
      const entered = Object.fromEntries([...inputs].map(([name, input]) => [name, input.read()]));
      for (const { name, defaultsTo } of members)
        if (defaultsTo !== undefined && entered[name] === '') entered[name] = entered[defaultsTo] ?? '';
      return entered;
    },
    issues: () => all.flatMap(({ issues }) => issues?.() ?? []),
    write,
  };
}

function inputOf(member: Member, pointer: string, others: Others): Input {
  const { kind = 'text', label } = member;
  if (kind === 'flag') return flagInput(label);
  if (kind === 'choices') return choicesInput(member, pointer);
  if (kind !== 'address') return controlInput(member, controlKinds[kind], { pointer, others });
  const address = addressInput(pointer);
  return {
    ...address,
    elements: [h('fieldset.field.wide', h('legend', label), h('div.grid', address.elements))],
  };
}

/** A kind whose values are entered in one control: each function stands for what differs from text. */
type ControlKind = {
  readonly control?: (member: Member) => Control;
  readonly attributes?: Attributes;
  readonly read?: (text: string, others: Others) => unknown;
  readonly write?: (value: unknown, others: Others) => string;
  readonly issue?: (text: string, others: Others) => string | undefined;
  /** What may be meant instead of a text with an issue: a press enters it. */
  readonly offer?: (text: string, others: Others) => string | undefined;
};

const controlKinds: Readonly<
  Record<Exclude<NonNullable<Member['kind']>, 'flag' | 'choices' | 'address'> | 'text', ControlKind>
> = {
  text: {},
  note: { control: () => h('textarea', { rows: 3 }) },
  choice: { control: ({ values = [] }) => choice(values) },
  currency: { control: currencyChoice, write: (value) => String(value ?? shopCurrency()) },
  price: {
    attributes: { inputmode: 'decimal' },
    read: (text, { currency }) => typedPrice(text, currency()) ?? 0,
    write: (value, { currency }) => (typeof value === 'number' ? priceText(value, currency()) : ''),
    issue: (text, { currency }) =>
      typedPrice(text, currency()) === undefined ? priceIssue(text, currency()) : undefined,
  },
  number: {
    attributes: { inputmode: 'numeric' },
    // what is none goes to the service as it is, which says what is wrong
    read: (text) => (Number.isNaN(Number(text)) ? text : Number(text)),
  },
  phone: {
    issue: (text, { address }) => phoneIssue(text, address()),
    offer(text, { address }) {
      const given = address();
      return isAddress(given) ? phoneFromAbroad(text, given.country) : undefined;
    },
  },
  time: {
    attributes: { type: 'datetime-local' },
    // of the device’s zone
    read: (text) => new Date(text).toISOString(),
    write: (value) =>
      value === null ? '' : new Date(String(value)).toLocaleString('sv-SE').replace(' ', 'T').slice(0, 16),
  },
};

function controlInput(
  member: Member,
  kind: ControlKind,
  { pointer, others }: { readonly pointer: string; readonly others: Others },
): Input {
  const { label, hint, isRequired = false, isWide = member.kind === 'note', check } = member;
  const attributes = { ...kind.attributes, ...member.attributes };
  const shown = field({ label, pointer, hint, isWide, control: kind.control?.(member), attributes });
  const { element, control } = shown;
  if (check !== undefined) element.append(answerBelow(control, check));
  const offer = h('p.hint');
  if (kind.offer !== undefined) element.append(offer);
  control.addEventListener('input', () => fill(offer));
  return {
    elements: [element],
    read() {
      const text = textOf(shown);
      if (text === null) return isRequired ? '' : null;
      return kind.read === undefined ? text : kind.read(text, others);
    },
    write: (value) => enterValue(control, kind.write?.(value, others) ?? String(value ?? '')),
    issues() {
      const detail = kind.issue?.(control.value, others);
      const meant = detail === undefined ? undefined : kind.offer?.(control.value, others);
      fill(offer, meant !== undefined && button(meant, () => enterText(control, meant)));
      return detail === undefined ? [] : [{ pointer, detail }];
    },
  };
}

/**
 * The service reads a number that begins with neither + nor 00 in the shop's country. Beside an address elsewhere it may
 * be of either country, so nothing is sent before it says which.
 */
function phoneIssue(phone: string, address: unknown): string | undefined {
  const home = shopOfPage().country;
  const isOfOne = phone.trim() === '' || /^\D*(00|[+＋])/.test(phone);
  if (isOfOne || home === null || !isAddress(address) || ['', home].includes(address.country))
    return undefined;
  const country = countryName(address.country);
  return t('The address is in {country}: begin the number with + and the calling code of its country.', {
    country,
  });
}

/** Shows below the field what the check says of its value. */
function answerBelow(control: Control, check: NonNullable<Member['check']>): HTMLElement {
  const hint = h('p.hint', { role: 'status' });
  control.addEventListener('change', async () => {
    fill(hint);
    const text = control.value.trim();
    const found = text === '' ? undefined : await check(text).catch(() => undefined);
    if (control.value.trim() === text) fill(hint, found);
  });
  return hint;
}

/**
 * Chromium offers to save a typed address as the user's own, whatever `off` says, unless the fields have this token,
 * which isn't one of an address.
 */
const ofNoAddress = { attributes: { autocomplete: 'transaction-amount' } };

function addressMembers(): readonly Member[] {
  return [
    { name: 'name', label: t('Recipient, if another'), ...ofNoAddress },
    { name: 'line1', label: t('Street and number'), isRequired: true, ...ofNoAddress },
    { name: 'line2', label: t('Second line'), ...ofNoAddress },
    { name: 'postalCode', label: t('Postal code'), ...ofNoAddress },
    { name: 'city', label: t('City'), isRequired: true, ...ofNoAddress },
    { name: 'region', label: t('Region'), ...ofNoAddress },
    {
      name: 'country',
      label: t('Country'),
      kind: 'choice',
      values: [['', '—'], ...countryChoices()],
      isRequired: true,
    },
  ];
}

/**
 * The fields of an address, null while all but the country are empty. A second line, and a region where the country has
 * none, are there once they are asked for.
 */
export function addressInput(pointer: string): Omit<Input, 'read'> & { readonly read: () => Values | null } {
  const members = addressMembers();
  const { element, read, write } = fieldsOf(members, { pointer });
  const controlOf = (name: string): Control | null => element.querySelector(`[data-pointer$="/${name}"]`);
  const rare = [controlOf('line2'), controlOf('region')];
  const ask = button(t('More fields'), () => {
    for (const control of rare) control?.parentElement?.removeAttribute('hidden');
    more.hidden = true;
    rare[0]?.focus();
  });
  const more = h('p.field', ask);
  const elements = [...element.children, more];
  /** What holds something is shown, and stays. */
  function show(): void {
    const isOfCountry = hasRegion(String(read()['country']));
    for (const control of rare)
      if (control?.value !== '' || (control === rare[1] && isOfCountry))
        control?.parentElement?.removeAttribute('hidden');
    more.hidden = rare.every((control) => control?.parentElement?.hidden === false);
  }
  for (const type of ['input', 'change']) for (const each of elements) each.addEventListener(type, show);
  const input = {
    elements,
    read() {
      const { country, ...texts } = read();
      return Object.values(texts).some(Boolean) ? { ...texts, country } : null;
    },
    /** Without an address the country is the shop's, or the browser locale's. */
    write(value: unknown) {
      const empty = Object.fromEntries(members.map(({ name }) => [name, null]));
      write(isAddress(value) ? value : { ...empty, country: homeCountry() });
      for (const control of rare) control?.parentElement?.setAttribute('hidden', '');
      show();
    },
  };
  input.write(null);
  return input;
}

function isAddress(value: unknown): value is Address {
  return typeof value === 'object' && value !== null && 'line1' in value;
}

function flagInput(label: string): Input {
  const box = h('input', { type: 'checkbox', id: `box-${crypto.randomUUID()}` });
  return {
    elements: [h('div.field.wide', checkbox(box, label))],
    read: () => box.checked,
    write: (value) => (box.checked = value === true),
  };
}

/** Issues are those of the first box. */
function choicesInput({ label, values = [] }: Member, pointer: string): Input {
  const id = `boxes-${crypto.randomUUID()}`;
  const boxes = values.map(([value], index) =>
    h('input', {
      type: 'checkbox',
      id: `${id}-${value}`,
      value,
      ...(index === 0 && { 'data-pointer': pointer, 'aria-describedby': `${id}-${value}-issue` }),
    }),
  );
  const [first] = boxes;
  /** Values that have no box stay. */
  let others: readonly unknown[] = [];
  const read = (): unknown[] => [
    ...boxes.filter(({ checked }) => checked).map(({ value }) => value),
    ...others,
  ];
  const element = h(
    'fieldset.field.wide',
    h('legend', label),
    h(
      'div.grid',
      boxes.map((box, index) => checkbox(box, values[index]?.[1] ?? '')),
    ),
    first !== undefined && h('p.issue', { id: `${first.id}-issue`, role: 'alert' }),
  );
  element.addEventListener('input', () => first !== undefined && showIssue(first));
  return {
    elements: [element],
    read,
    write(value) {
      const given: readonly unknown[] = Array.isArray(value) ? value : [];
      for (const box of boxes) box.checked = given.includes(box.value);
      others = given.filter((each) => !values.some(([known]) => known === each));
    },
    issues: () => (read().length === 0 ? [{ pointer, detail: t('Tick at least one.') }] : []),
  };
}

/** The member’s value in words. */
export function textOfMember({ kind, name, values: all = [] }: Member, values: Values): string {
  const value = values[name] ?? null;
  if (value === null || value === '') return '—';
  if (kind === 'flag') return value === true ? t('Yes') : t('No');
  if (kind === 'time') return dateTime(String(value));
  if (kind === 'price') return money(Number(value), String(values['currency'] ?? shopCurrency()));
  if (isAddress(value)) return addressLines(value).join(', ');
  const labelOf = (each: unknown): string => all.find(([given]) => given === each)?.[1] ?? String(each);
  return Array.isArray(value) ? value.map(labelOf).join(', ') : labelOf(value);
}
