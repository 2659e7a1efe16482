// Issues of the service in the words of the form.
import type { Issue } from './api-types.ts';

type Wording = {
  readonly label: string;
  /** Formats a limit like the field's values. */
  readonly limit: (value: number) => string;
  /** Returns the name of the country with this code. */
  readonly country: (code: string) => string;
};

/** `items[0].quantity must be at most 1000000.` becomes `Quantity must be at most 1,000,000.` */
export function inWords({ pointer = '', detail }: Issue, { label, limit, country }: Wording): string {
  const [, member] = /\/([^/]+)$/.exec(pointer) ?? [];
  return detail
    .replace(/^\S+/, (subject) => (member !== undefined && subject.endsWith(member) ? label : subject))
    .replace(/(?<=\bat (?:most|least) )\d+/, (digits) => limit(Number(digits)))
    .replace(/(?<=^An? (?:address in|postal code of) )[A-Z]{2}\b/, country)
    .replace('must be an integer', 'must be a whole number');
}
