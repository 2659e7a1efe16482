// Phone numbers, parsed as people write them and stored as E.164.
import { dialling, internationalPrefixes, keepsZero, type Dialling } from './dialling-codes.ts';
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
 * A phone number as requests send it; `toE164` reads it. With a country, its national form is also accepted.
 */
export function sentPhone(country: string | undefined): Schema<string> {
  const more = country === undefined ? '' : ` or a number of ${country} in its national form`;
  return string({
    maxLength: 40,
    pattern: '^[ (]*\\+?[0-9 ().\\/\\-]+$',
    mustBe: `a phone number such as ${example} (E.164)${more}`,
    reportsFormatForLength: true,
    rule(text) {
      const read = readPhone(text, country);
      return 'issue' in read ? read.issue : undefined;
    },
    description: `E.164${more}; blanks, brackets, dots, slashes and hyphens are removed.`,
    examples: [example],
  });
}

/** Converts a text that `sentPhone` accepts to E.164. */
export function toE164(text: string, country: string | undefined): string {
  const read = readPhone(text, country);
  return 'issue' in read ? text : read.number;
}

type ParsedPhone = { readonly number: string } | { readonly issue: string };

function readPhone(text: string, country: string | undefined): ParsedPhone {
  const plan = country === undefined ? undefined : dialling.get(country);
  if (text.includes('+')) return readE164(international(text));
  if (country === undefined || plan === undefined) return { issue: withoutPlus };
  const digits = digitsOf(text);
  const issue = nationalIssue(digits, country, plan);
  return issue === undefined ? readE164(`+${plan.callingCode}${withoutTrunk(digits, plan)}`) : { issue };
}

const withoutPlus =
  `A phone number begins with + and its calling code, as in ${example}; ` +
  'numbers without them are read where the service has --default-country.';

function readE164(number: string): ParsedPhone {
  if (e164.test(number)) return { number };
  return { issue: `A phone number has a calling code and 7 to 15 digits in all, as in ${example}.` };
}

/** Removes the trunk prefix from `+49 (0)441 12345`, since it isn't dialled from abroad. */
function international(text: string): string {
  const [before = '', ...rest] = text.split('(0)');
  const isTrunk = rest.length > 0 && codesWithTrunkZero.has(digitsOf(before));
  return `+${digitsOf(isTrunk ? before + rest.join('(0)') : text)}`;
}

const codesWithTrunkZero: ReadonlySet<string> = new Set(
  [...dialling.values()].filter(({ trunk }) => trunk === '0').map(({ callingCode }) => callingCode),
);

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

function withoutTrunk(digits: string, { trunk }: Dialling): string {
  return trunk !== undefined && digits.startsWith(trunk) ? digits.slice(trunk.length) : digits;
}

/** Requires a trunk prefix if it is 0; other trunk prefixes may be omitted. */
function nationalIssue(digits: string, country: string, plan: Dialling): string | undefined {
  if (plan.trunk === '0' && !digits.startsWith('0'))
    return `A phone number of ${country} begins with 0 and its area or network code, any other with +.`;
  const number = withoutTrunk(digits, plan);
  const beginsAsAbroad =
    digits.startsWith('00') ||
    digits.startsWith(internationalPrefixes.get(country) ?? '+') ||
    (number.startsWith('0') && !keepsZero.has(country));
  if (beginsAsAbroad)
    return `An international phone number begins with + and its calling code, as in ${example}.`;
  if (plan.callingCode === '1' && number.length !== 10)
    return `A phone number of ${country} has 10 digits, area code included.`;
  return undefined;
}
