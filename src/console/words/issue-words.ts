// Issues of the service in the words of a form: by code, or by code and member. Their values are the numbers and codes in
// the service's sentence. For other codes English has the sentence itself, and other languages have words.
import type { Issue } from './api-types.ts';
import { t, firstTranslation } from './texts.ts';

type Wording = {
  readonly label: string;
  /** The number of characters that were entered. */
  readonly entered?: number;
  /** Formats a limit like the field's values. */
  readonly limit: (value: number) => string;
  /** Returns the name of the country with this code. */
  readonly country: (code: string) => string;
  /** The shop’s country has it: `+353`. There is none without a country. */
  readonly callingCode?: string;
};

const phone =
  '{label} must be complete, with a calling code such as {callingCode}; without one only in the country of the shop (page Shop).';

const issueWords = {
  required: '{label} is required.',
  type: '{label} is required.', // forms send null for what is empty
  'type quantity': '{label} must be a whole number.',
  'type unitPrice': '{label} must be a whole number.',
  empty: '{label} must not be empty.',
  'min-length': '{label} must have at least {limit} characters.',
  'max-length': '{label} must have at most {limit} characters.',
  'max-length entered': '{label} must have at most {limit} characters: it has {entered}.',
  minimum: '{label} must be at least {limit}.',
  maximum: '{label} must be at most {limit}.',
  'min-items': '{label} is required.',
  'max-items': 'At most {limit} are possible: {label}.',
  'pattern code': 'This code is wrong, or was used already.',
  'mismatch code': 'This code is wrong, or was used already.',
  mismatch: '{label} is wrong.',
  'taken sku': 'Product {id} has this SKU.',
  'taken barcode': 'Product {id} has this barcode.',
  'format country': '{label}: this country is unknown.',
  'pattern country': '{label}: this country is unknown.',
  'postal-code': 'An address in {country} needs a postal code such as {example}.',
  'format unitPrice': '{label} must be an amount such as 7.49.',
  'format active': '{label} must be yes or no, true or false, or 1 or 0.',
  'pattern phone': phone,
  'format phone': phone,
  'phone abroad':
    '{label} must be complete, such as +49 441 12345678: the shop has no country yet (page Shop).',
  rounded: '{label}: a spreadsheet has rounded this number. Format the column as text, and enter it again.',
} as const;

/** `items[0].quantity must be at most 1000000.` becomes `Quantity must be at most 1,000,000.` */
export function issueInWords(
  issue: Issue,
  { label, limit, country, callingCode = '', entered }: Wording,
): string {
  const { pointer = '', code, detail } = issue;
  if (code === undefined) return detail; // an issue of the console itself
  const [, member = ''] = /\/([^/]+)$/.exec(pointer) ?? [];
  const claim = detail.replace(/^\S+/, ''); // without the member, which may have a number
  const [first, second = ''] = claim.match(/\d+/g) ?? [];
  const [, example = ''] = /([A-Z\d][A-Z\d -]*)\.$/.exec(claim) ?? [];
  const [countryCode] = claim.match(/\b[A-Z]{2}\b/) ?? [];
  const special = [
    code === 'min-length' && first === undefined && 'empty',
    code === 'password' && second !== '' && 'password length',
    member === 'phone' && (code === 'format' || code === 'pattern') && callingCode === '' && 'phone abroad',
    code === 'max-length' && entered !== undefined && 'max-length entered',
  ];
  const names = [...special.filter((name) => name !== false), `${code} ${member}`, code];
  const values = {
    label,
    limit: limit(Number(first)),
    max: second,
    id: first ?? '',
    entered: limit(entered ?? 0),
    country: countryCode === undefined ? '' : country(countryCode),
    example,
    callingCode,
  };
  const known = names.find(isKnown);
  if (known !== undefined) return t(issueWords[known], values);
  const others = [...names, 'other'].map((name) => `issue ${name}`);
  return firstTranslation(others, values) ?? withLabel(detail, member, label);
}

function isKnown(name: string): name is keyof typeof issueWords {
  return Object.hasOwn(issueWords, name);
}

function withLabel(detail: string, member: string, label: string): string {
  return detail.replace(/^\S+/, (subject) => (member !== '' && subject.endsWith(member) ? label : subject));
}
