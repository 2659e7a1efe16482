// Phone numbers, parsed as people write them and stored as E.164. A number without + is read by the metadata of
// libphonenumber for its country (`phone-plans.ts`).
import { phonePlanRows } from './phone-plans.ts';
import { dashes, plainText } from './plain-text.ts';
import { string, type Schema } from './schema.ts';

const e164 = /^\+[1-9]\d{6,14}$/;
const example = '+4944112345678';

/** A phone number as responses show it. */
export const phone = string({
  minLength: 8,
  maxLength: 16,
  pattern: e164.source,
  description: 'E.164.',
  examples: [example],
});

/**
 * A phone number as requests send it; `toE164` reads it. If there is a country, its national form is also accepted.
 */
export function sentPhone(countryOf: () => string | undefined): Schema<string> {
  return string({
    maxLength: 64,
    mustBe: `a phone number such as ${example} (E.164)`,
    reportsFormatForLength: true,
    rule(text) {
      const read = readPhone(text, countryOf());
      return 'issue' in read ? read.issue : undefined;
    },
    description:
      'E.164, or in the national form of the shop’s country; blanks, brackets, dots, slashes and dashes are removed.',
    examples: [example],
  });
}

function orNational(country: string | undefined): string {
  return country === undefined ? '' : ` or a number of ${country} in its national form`;
}

/** Converts a text that `sentPhone` accepts to E.164. Returns undefined for others. */
export function toE164(text: string, country: string | undefined): string | undefined {
  const read = readPhone(text, country);
  return 'issue' in read ? undefined : read.number;
}

/** Returns whether the numbers of a country can be read in its national form. */
export function hasPhonePlan(country: string): boolean {
  return rows.has(country);
}

type Plan = {
  readonly callingCode: string;
  /** A whole number without the calling code and the national prefix. */
  readonly number: RegExp;
  /** The possible lengths of a number, as hexadecimal digits. */
  readonly lengths: string;
  readonly nationalPrefix: string;
  /** What is removed before a number, or replaced by `transform`. */
  readonly prefix: RegExp | undefined;
  readonly transform: string;
  /** How international calls begin. */
  readonly abroad: RegExp;
  /** The numbers that the country writes with the prefix. */
  readonly demandsPrefix: RegExp | undefined;
};

type ParsedPhone = { readonly number: string } | { readonly issue: string };

function readPhone(text: string, country: string | undefined): ParsedPhone {
  const plain = plainText(text)
    .replace(/^tel:/i, '')
    .replaceAll(dashes, '-')
    .replaceAll(/\p{Zs}/gv, ' ');
  if (/\d.*(?:[;,#x]|ext|durchwahl)/i.test(plain)) return { issue: extensionIssue };
  const [, plus, digits] = /^[ \(\[]*(\+?)([\d \(\)\[\].·•\/\-]+)$/v.exec(plain) ?? [];
  if (digits === undefined)
    return {
      issue: `A phone number is one such as ${example} (E.164)${orNational(country)}, without letters.`,
    };
  const number = digits.replaceAll(/\D/g, '');
  if (plus === '+') return readE164(international(number));
  const plan = country === undefined ? undefined : planOf(country);
  return country === undefined || plan === undefined
    ? { issue: withoutPlus }
    : national(number, country, plan);
}

const extensionIssue = `A phone number is kept without an extension, as in ${example}; that can go to a note.`;
const e164Issue = `A phone number has a calling code and 7 to 15 digits in all, as in ${example}.`;
const withoutPlus =
  `A phone number begins with + and its calling code, as in ${example}; ` +
  'numbers without them are read in the shop’s country, which PATCH /shop or --default-country sets.';
const beginsAsAbroad = `An international phone number begins with + and its calling code, as in ${example}.`;

function readE164(number: string): ParsedPhone {
  return e164.test(number) ? { number } : { issue: e164Issue };
}

/**
 * Removes the digits that aren't dialled from abroad, such as the (0) of `+49 (0)441 12345`, unless the country keeps
 * them.
 */
function international(digits: string): string {
  const plan = planOfInternational(digits);
  if (plan === undefined) return `+${digits}`;
  const number = digits.slice(plan.callingCode.length);
  const read = numberOf(plan, number);
  const hasTrunkZero = plan.nationalPrefix === '0';
  return `+${plan.callingCode}${read ?? (hasTrunkZero ? number.replace(/^0+/, '') : number)}`;
}

function planOfInternational(digits: string): Plan | undefined {
  return [1, 2, 3].map((length) => mainPlan(digits.slice(0, length))).find((found) => found !== undefined);
}

/** Returns the national number, without a trunk prefix, from the digits after a calling code. */
function numberOf(plan: Plan, number: string): string | undefined {
  const readings = [withoutPrefix(number, plan), number, number.replace(/^0+/, '')];
  return readings.find((each) => plan.number.test(each));
}

/** Reads a number as it is dialled in a country: `0049 441 12345` calls Germany from most of Europe. */
function dialled(digits: string, plan: Plan): ParsedPhone {
  const called = digits.replace(plan.abroad, '');
  const other = planOfInternational(called);
  if (called === digits || other === undefined) return { issue: beginsAsAbroad };
  const number = numberOf(other, called.slice(other.callingCode.length));
  return number === undefined ? { issue: beginsAsAbroad } : readE164(`+${other.callingCode}${number}`);
}

function national(digits: string, country: string, plan: Plan): ParsedPhone {
  if (digits.startsWith('00') || plan.abroad.test(digits)) return dialled(digits, plan);
  const short = withoutPrefix(digits, plan);
  const number = [short, digits].find((each) => isNumberOf(plan, each));
  const hasPrefix = number !== digits && plan.prefix?.test(digits) === true;
  const demandsPrefix = plan.demandsPrefix?.test(number ?? short) === true;
  if (demandsPrefix && !hasPrefix) return { issue: prefixIssue(country, plan.nationalPrefix) };
  // after its prefix, a number may belong to a range that is newer than the table
  if (number === undefined && !(demandsPrefix && hasLengthOf(plan, short)))
    return { issue: nationalIssue(short, country, plan) };
  return readE164(`+${plan.callingCode}${number ?? short}`);
}

/** A number of another country with the same calling code is dialled in the same way. */
function isNumberOf(plan: Plan, digits: string): boolean {
  return [plan, mainPlan(plan.callingCode) ?? plan].some(
    (each) => each.number.test(digits) && hasLengthOf(each, digits),
  );
}

function hasLengthOf({ lengths }: Plan, { length }: string): boolean {
  return lengths.includes(length.toString(16));
}

function withoutPrefix(digits: string, { prefix, transform }: Plan): string {
  const found = prefix?.exec(digits);
  if (found === null || found === undefined) return digits;
  const isReplaced = transform !== '' && found.at(-1) !== undefined;
  return (isReplaced ? found[0].replace(prefix ?? '', transform) : '') + digits.slice(found[0].length);
}

function nationalIssue(number: string, country: string, { callingCode }: Plan): string {
  if (number === '' || callingCode.length + number.length > 15) return e164Issue;
  if (callingCode === '1') return `A phone number of ${country} has 10 digits, area code included.`;
  return `This is no phone number of ${country}; one of another country begins with +, as in ${example}.`;
}

function prefixIssue(country: string, prefix: string): string {
  return `A phone number of ${country} begins with ${prefix} and its area or network code, any other with +.`;
}

const rows: ReadonlyMap<string, readonly string[]> = new Map(phonePlanRows.map((row) => [row[0] ?? '', row]));
/** Last to first, so that the main country of a calling code stays. */
const mainCountries: ReadonlyMap<string, string> = new Map(
  phonePlanRows.toReversed().map(([country = '', callingCode = '']) => [callingCode, country]),
);

function mainPlan(callingCode: string): Plan | undefined {
  return planOf(mainCountries.get(callingCode) ?? '');
}

function planOf(country: string): Plan | undefined {
  const row = rows.get(country);
  if (row === undefined) return undefined;
  const [
    ,
    callingCode = '',
    number = '',
    lengths = '',
    trunk = '',
    prefix = '',
    transform = '',
    abroad = '',
    demand = '',
  ] = row;
  return {
    callingCode,
    number: new RegExp(`^(?:${number})$`, 'v'),
    lengths,
    nationalPrefix: trunk,
    prefix: trunk + prefix === '' ? undefined : new RegExp(`^(?:${prefix === '' ? trunk : prefix})`, 'v'),
    transform,
    abroad: new RegExp(`^(?:${abroad === '' ? '00' : abroad})`, 'v'),
    demandsPrefix: demand === '' ? undefined : new RegExp(demand === '*' ? '^' : `^(?:${demand})`, 'v'),
  };
}
