// Issues of the service in the words of the form.
import type { Issue } from './api-types.ts';
import { t } from './texts.ts';

type Wording = {
  readonly label: string;
  /** Formats a limit like the field's values. */
  readonly limit: (value: number) => string;
  /** Returns the name of the country with this code. */
  readonly country: (code: string) => string;
};

/** The usual issues, after their subject has become the field's label, and the text for each. */
const wordings = [
  [/^(?<label>.+) must be an integer\.$/, '{label} must be a whole number.'],
  [/^(?<label>.+) must not be empty\.$/, '{label} must not be empty.'],
  [/^(?<label>.+) must be at most (?<limit>\d+)\.$/, '{label} must be at most {limit}.'],
  [/^(?<label>.+) must be at least (?<limit>\d+)\.$/, '{label} must be at least {limit}.'],
  [
    /^(?<label>.+) must have at most (?<limit>\d+) characters\.$/,
    '{label} must have at most {limit} characters.',
  ],
  [
    /^(?<label>.+) must have at least (?<limit>\d+) characters\.$/,
    '{label} must have at least {limit} characters.',
  ],
  [/^(?<label>.+) is required(?: with a new password)?\.$/, '{label} is required.'],
  [/^.+ is wrong, or was used already\.$/, 'This code is wrong, or was used already.'],
  [
    /^This password is too common; choose one that is harder to guess\.$/,
    'This password is too common; choose one that is harder to guess.',
  ],
  [/^Product (?<id>\d+) has the SKU (?<example>.+)\.$/, 'Product {id} has the SKU {example}.'],
  [/^(?<example>\S+) is not an ISO 3166-1 country code\.$/, '{example} is not an ISO 3166-1 country code.'],
  [
    /^A postal code of (?<country>[A-Z]{2}) looks like (?<example>.+)\.$/,
    'A postal code of {country} looks like {example}.',
  ],
  [
    /^An address in (?<country>[A-Z]{2}) needs a postal code, such as (?<example>.+)\.$/,
    'An address in {country} needs a postal code, such as {example}.',
  ],
] as const;

/** `items[0].quantity must be at most 1000000.` becomes `Quantity must be at most 1,000,000.` */
export function inWords({ pointer = '', code, detail }: Issue, { label, limit, country }: Wording): string {
  if (code === 'rounded')
    return t(
      '{label}: a spreadsheet has rounded this number. Format the column as text, and enter it again.',
      {
        label,
      },
    );
  const [, member] = /\/([^/]+)$/.exec(pointer) ?? [];
  const labelled = detail.replace(/^\S+/, (subject) =>
    member !== undefined && subject.endsWith(member) ? label : subject,
  );
  for (const [pattern, text] of wordings) {
    const match = pattern.exec(labelled);
    if (match === null) continue;
    const { label: subject = '', limit: digits, country: code, example = '', id = '' } = match.groups ?? {};
    return t(text, {
      label: subject,
      limit: digits === undefined ? '' : limit(Number(digits)),
      country: code === undefined ? '' : country(code),
      example,
      id,
    });
  }
  return labelled;
}
