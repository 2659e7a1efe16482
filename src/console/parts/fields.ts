// The fields of an object, made from its members: what is entered in each, what may be wrong with it, and its value in
// words.
import { AddressFields } from './address-fields.ts';
import type { Address, Issue } from './api-types.ts';
import { type Attributes, type Child, fill, h } from './elements.ts';
import { addressLines, dateTime, money, priceIssue, priceText, shopCurrency, typedPrice } from './formats.ts';
import { checkbox, choice, currencyChoice, field, noteField, textOf } from './forms.ts';
import { t } from './texts.ts';

export type Member = {
  /** What the API calls it. */
  readonly name: string;
  readonly label: string;
  /** Text on one line, unless it is another kind. A price is in the currency of the member `currency`. */
  readonly kind?:
    'note' | 'number' | 'time' | 'price' | 'currency' | 'flag' | 'choice' | 'choices' | 'address';
  readonly hint?: string;
  /** Whether it is sent as an empty text where nothing is entered: the service says what it has to be. */
  readonly isRequired?: true;
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
  readonly elements: readonly HTMLElement[];
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
};

export function fieldsOf(members: readonly Member[], { pointer = '', values }: FieldsOptions = {}): Fields {
  const inputs = new Map<string, Input>();
  const currency = (): string => String(inputs.get('currency')?.read() ?? shopCurrency());
  for (const member of members) {
    const input = inputOf(member, `${pointer}/${member.name}`, currency);
    inputs.set(member.name, input);
  }
  const all = [...inputs.values()];
  const write = (given: Values): void => {
    // a price is written in its currency
    const names = [...inputs.keys()].sort((name) => (name === 'currency' ? -1 : 0));
    for (const name of names) if (name in given) inputs.get(name)?.write(given[name]);
  };
  write(values ?? Object.fromEntries(members.map(({ name, first = null }) => [name, first])));
  return {
    element: h(
      'div.grid',
      all.map(({ elements }) => elements),
    ),
    read: () => Object.fromEntries([...inputs].map(([name, { read }]) => [name, read()])),
    issues: () => all.flatMap(({ issues }) => issues?.() ?? []),
    write,
  };
}

function inputOf(member: Member, pointer: string, currency: () => string): Input {
  const { label, kind, hint, isWide = false, values = [] } = member;
  const options = { label, pointer, isWide, ...(hint !== undefined && { hint }) };
  if (kind === 'address') return addressInput(pointer);
  if (kind === 'flag') return flagInput(label);
  if (kind === 'choices') return choicesInput(member, pointer);
  if (kind === 'price') return priceInput(member, pointer, currency);
  if (kind === 'note') return textInput(member, noteField({ rows: 3, hint: hint ?? '' }));
  if (kind === 'choice') return textInput(member, field({ ...options, control: choice(values) }));
  if (kind === 'currency') return currencyInput(options);
  if (kind === 'number') {
    const shown = field({ ...options, attributes: { inputmode: 'numeric', ...member.attributes } });
    return { ...textInput(member, shown), read: () => numberIn(textOf(shown)) };
  }
  if (kind === 'time')
    return timeInput(member, field({ ...options, attributes: { type: 'datetime-local' } }));
  return textInput(member, field({ ...options, attributes: member.attributes ?? {} }));
}

/** A time is entered in the zone of the device. */
function timeInput(member: Member, shown: Shown): Input {
  const { elements, read } = textInput(member, shown);
  return {
    elements,
    read() {
      const text = read();
      return typeof text === 'string' && text !== '' ? new Date(text).toISOString() : text;
    },
    write(value) {
      const time = typeof value === 'string' ? new Date(value).toLocaleString('sv-SE') : '';
      shown.control.value = time.replace(' ', 'T').slice(0, 16);
    },
  };
}

/** What is no number goes to the service as it is, which says what is wrong. */
function numberIn(text: string | null): unknown {
  return text === null || Number.isNaN(Number(text)) ? text : Number(text);
}

type Shown = ReturnType<typeof field>;

function textInput({ isRequired, check }: Member, shown: Shown): Input {
  const { element, control } = shown;
  if (check !== undefined) {
    const hint = h('p.hint', { role: 'status' });
    element.append(hint);
    control.addEventListener('change', async () => {
      fill(hint);
      const text = control.value.trim();
      const found = text === '' ? undefined : await check(text).catch(() => undefined);
      if (control.value.trim() === text) fill(hint, found);
    });
  }
  return {
    elements: [element],
    read: () => textOf(shown) ?? (isRequired === true ? '' : null),
    write: (value) => (control.value = String(value ?? '')),
  };
}

function addressInput(pointer: string): Input {
  const address = new AddressFields(pointer);
  return {
    elements: address.elements,
    read: () => address.read(),
    write: (value) => address.fill(isAddress(value) ? value : null),
  };
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

function choicesInput({ label, values = [] }: Member, pointer: string): Input {
  const id = `boxes-${crypto.randomUUID()}`;
  const boxes = values.map(([value, text]) => {
    const box = h('input', { type: 'checkbox', id: `${id}-${value}`, value });
    return { box, element: checkbox(box, text) };
  });
  /** Values that have no box stay. */
  let others: readonly unknown[] = [];
  const ticked = (): unknown[] => [
    ...boxes.filter(({ box }) => box.checked).map(({ box }) => box.value),
    ...others,
  ];
  const element = h(
    'fieldset',
    { id, class: 'field wide', 'data-pointer': pointer },
    h('legend', label),
    h(
      'div.grid',
      boxes.map((each) => each.element),
    ),
    h('p.issue', { id: `${id}-issue`, role: 'alert' }),
  );
  return {
    elements: [element],
    read: ticked,
    write(value) {
      const given: readonly unknown[] = Array.isArray(value) ? value : [];
      for (const { box } of boxes) box.checked = given.includes(box.value);
      others = given.filter((each) => !values.some(([known]) => known === each));
    },
    issues: () => (ticked().length === 0 ? [{ pointer, detail: t('Tick at least one.') }] : []),
  };
}

function priceInput({ label }: Member, pointer: string, currency: () => string): Input {
  const { element, control } = field({ label, pointer, attributes: { inputmode: 'decimal' } });
  const typed = (): number | undefined => typedPrice(control.value, currency());
  return {
    elements: [element],
    read: () => typed() ?? 0,
    write: (value) => (control.value = typeof value === 'number' ? priceText(value, currency()) : ''),
    issues: () => (typed() === undefined ? [{ pointer, detail: priceIssue(control.value, currency()) }] : []),
  };
}

function currencyInput(options: { readonly label: string; readonly pointer: string }): Input {
  const { element, control } = field({ ...options, control: currencyChoice() });
  return {
    elements: [element],
    read: () => control.value,
    write(value) {
      const code = typeof value === 'string' ? value : shopCurrency();
      // one that is no longer accepted stays where it was chosen
      control.replaceChildren(...currencyChoice(code).children);
      control.value = code;
    },
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
