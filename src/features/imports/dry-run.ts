// What earlier lines of a dry run would have created: later lines may name it, or have something in common with it.
import { Problem } from '../../problem.ts';
import { emailKey } from '../../schema/email.ts';
import { foldedName } from '../../schema/members.ts';
import type { CustomerContent } from '../customers/customers.ts';

export const importDryRunKeysMax = 200_000;

/** An imported object, and the fingerprint of its last line. The id is null in a dry run. */
export type Imported = { readonly id: number | null; readonly fingerprint: string };

export class DryRun {
  readonly #objects = new Map<string, Imported>();
  /** What customers are found by, with their references: null for one who has none, undefined for several customers. */
  readonly #identities = new Map<string, string | null | undefined>();

  find(kind: string, key: string): Imported | undefined {
    return this.#objects.get(`${kind} ${key}`);
  }

  add(kind: string, key: string, object: Imported): void {
    const name = `${kind} ${key}`;
    if (this.#objects.size >= importDryRunKeysMax && !this.#objects.has(name)) {
      const detail = `A dry run checks at most ${importDryRunKeysMax} new objects; check the rest by itself.`;
      throw new Problem('content-too-large', detail);
    }
    this.#objects.set(name, object);
  }

  addCustomer(customer: CustomerContent): void {
    for (const identity of new Set([...identitiesOf(customer), ...contactsOf(customer)]))
      this.#identities.set(identity, this.#identities.has(identity) ? undefined : customer.reference);
  }

  /** Whether the customer is an earlier one, or has something in common with an earlier one. */
  compare(customer: CustomerContent): 'known' | 'similar' | 'new' {
    const { reference } = customer;
    const isKnown = identitiesOf(customer).some((name) => {
      const other = this.#identities.get(name);
      return other === null || (other !== undefined && (reference === null || reference === other));
    });
    if (isKnown) return 'known';
    return contactsOf(customer).some((name) => this.#identities.has(name)) ? 'similar' : 'new';
  }
}

/** The texts by which an import finds a customer. */
function identitiesOf({ name, email, phone, reference }: CustomerContent): string[] {
  const names: string[] = [];
  if (reference !== null) names.push(`reference ${reference}`);
  if (email !== null) names.push(`email ${emailKey(email)}`);
  if (phone !== null) names.push(`phone ${phone} ${foldedName(name)}`);
  return names;
}

/** The texts that two customers seldom share. */
function contactsOf(customer: CustomerContent): string[] {
  const { phone } = customer;
  const names = identitiesOf({ ...customer, phone: null });
  return phone === null ? names : [...names, `phone ${phone}`];
}
