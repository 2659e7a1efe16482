// The fields of a customer.
import { AddressFields } from '../parts/address-fields.ts';
import { type ApiClient, query } from '../parts/api-client.ts';
import type { Customer, CustomerContent, List } from '../parts/api-types.ts';
import { fill, h } from '../parts/elements.ts';
import { field, type Field, noteField, textOf } from '../parts/forms.ts';
import { rich, t } from '../parts/texts.ts';

/** The name, e-mail address and phone number of a customer. */
export class ContactFields {
  readonly elements: readonly HTMLElement[];
  readonly name: Field;
  readonly #email: Field;
  readonly #phone: Field;

  /** `pointer` is the place of the customer in the form: `/customer`. */
  constructor(client: ApiClient, pointer: string, customer?: Customer) {
    const fieldOf = (label: string, member: 'name' | 'email' | 'phone'): Field =>
      field({ label, pointer: `${pointer}/${member}`, value: customer?.[member] ?? null });
    this.name = fieldOf(t('Name'), 'name');
    this.#email = fieldOf(t('E-mail'), 'email');
    this.#phone = fieldOf(t('Phone'), 'phone');
    warnOfTwins(client, this.#email, customer);
    this.elements = [this.name, this.#email, this.#phone].map(({ element }) => element);
  }

  read(): Record<'name' | 'email' | 'phone', string | null> {
    return { name: textOf(this.name) ?? '', email: textOf(this.#email), phone: textOf(this.#phone) };
  }
}

/** Says below the field who else has the e-mail address: it may be the same customer. */
function warnOfTwins(client: ApiClient, { element, control }: Field, customer?: Customer): void {
  const hint = h('p', { class: 'hint', role: 'status' });
  element.append(hint);
  control.addEventListener('change', async () => {
    fill(hint);
    const email = control.value.trim();
    if (!/.@./.test(email)) return;
    const path = `/customers?${query({ email, limit: 2 })}`;
    const found = await client.get<List<Customer>>(path).catch(() => undefined); // what is wrong with it is said later
    const twin = found?.data.find(({ id }) => id !== customer?.id);
    if (twin === undefined || control.value.trim() !== email) return;
    const link = h('a', { href: `#/customers/${twin.id}` }, h('bdi', {}, twin.name));
    fill(hint, rich('{customer} has this e-mail address, too.', { customer: link }));
  });
}

export class CustomerFields {
  readonly element: HTMLElement;
  readonly #note: Field;
  readonly #reference: Field;
  readonly #contact: ContactFields;
  readonly #address = new AddressFields('/address');

  constructor(client: ApiClient, customer?: Customer) {
    this.#contact = new ContactFields(client, '', customer);
    if (customer !== undefined) this.#address.fill(customer.address);
    this.#note = noteField({
      rows: 3,
      value: customer?.note ?? null,
      hint: t('For the shop: it is on no packing slip.'),
    });
    this.#reference = field({
      label: t('Own number'),
      pointer: '/reference',
      hint: t('Of the customer in your own records, if there is one.'),
      value: customer?.reference ?? null,
    });
    const rows = [
      this.#contact.elements,
      this.#reference.element,
      this.#address.elements,
      this.#note.element,
    ];
    this.element = h('div', { class: 'grid' }, rows);
  }

  focus(): void {
    this.#contact.name.control.focus();
  }

  /** The address is null if all its lines are empty. */
  read(): Record<keyof CustomerContent, unknown> {
    return {
      ...this.#contact.read(),
      address: this.#address.read(),
      note: textOf(this.#note),
      reference: textOf(this.#reference),
    };
  }
}
