// What the service reports about a value, in the words of the form that it is entered in.
import type { Issue } from './api-types.ts';

type Wording = {
  readonly label: string;
  /** Shows a limit as the field's values are shown. */
  readonly limit: (value: number) => string;
};

/** `items[0].quantity must be at most 1000000.` is `Quantity must be at most 1,000,000.` at its field. */
export function inWords({ pointer = '', detail }: Issue, { label, limit }: Wording): string {
  const [, member] = /\/([^/]+)$/.exec(pointer) ?? [];
  return detail
    .replace(/^\S+/, (subject) => (member !== undefined && subject.endsWith(member) ? label : subject))
    .replace(/(?<=\bat (?:most|least) )\d+/, (digits) => limit(Number(digits)))
    .replace('must be an integer', 'must be a whole number');
}
