// Rows of a file that name the same customer or product: the later one would overwrite the earlier one unseen, and the
// same file, imported again, would change it back and forth. A check can't see that, as it writes nothing.
type Row = {
  readonly number: number;
  readonly values: ReadonlyMap<string, string>;
  /** All that is sent of the row. */
  readonly text: string;
};

/** The number of the earlier row, and the member that both have. */
export type Repeat = { readonly row: number; readonly member: string };

/** Customers with the same text here are seldom two. */
const contacts = ['email', 'phone'];

export class NamedRows {
  readonly #rows = new Map<string, Row>();
  readonly #contacts = new Set<string>();

  /** Returns which earlier row this one would overwrite. A row that overwrites none is remembered. */
  add(row: Row): Repeat | undefined {
    const keys = namesOf(row.values).map((member) => [member, keyOf(member, row.values)] as const);
    for (const [member, key] of keys) {
      const earlier = this.#rows.get(key);
      if (earlier === undefined || earlier.text === row.text || areTwo(earlier, row, member)) continue;
      return { row: earlier.number, member };
    }
    for (const [, key] of keys) if (!this.#rows.has(key)) this.#rows.set(key, row);
    return undefined;
  }

  /** Whether an earlier row has the same e-mail address or phone number. */
  addContacts({ values }: Pick<Row, 'values'>): boolean {
    const keys = contacts.filter((name) => values.has(name)).map((name) => contactKey(name, values));
    const isShared = keys.some((key) => this.#contacts.has(key));
    for (const key of keys) this.#contacts.add(key);
    return isShared;
  }
}

/** The members by which the service finds what a row changes. */
function namesOf(values: Row['values']): string[] {
  if (values.has('sku')) return ['sku'];
  if (values.has('id')) return ['id'];
  const contact = values.has('email') ? 'email' : 'phone';
  return ['reference', contact].filter((name) => values.has(name));
}

/** A telephone may be that of a family, so it names a customer only together with the name. */
function keyOf(name: string, values: Row['values']): string {
  const key = contactKey(name, values);
  return name === 'phone' ? `${key} ${plainWords(values.get('name') ?? '')}` : key;
}

function plainWords(text: string): string {
  return text.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
}

function contactKey(name: string, values: Row['values']): string {
  const text = (values.get(name) ?? '').toLowerCase();
  return `${name} ${name === 'phone' ? text.replaceAll(/\D/g, '').replace(/^0+/, '') : text}`;
}

/** Customers with numbers of their own may share an address or a telephone. */
function areTwo(earlier: Row, row: Row, name: string): boolean {
  const hasOwnNumbers = earlier.values.has('reference') && row.values.has('reference');
  return name !== 'reference' && hasOwnNumbers;
}
