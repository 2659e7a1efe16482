// The parameter q of lists, and the parameters that can't be combined with q.
import { separatorIssue } from './members.ts';
import { optional, string, type Issue } from './schema.ts';

/** The most rows that a search finds. */
const searchRowsMax = 50;

const searchLengthMax = 100;

/** All but U+001D, which separates the elements of a GS1 code. */
const controls = '\\x00-\\x1c\\x1e\\x1f\\x7f-\\x9f';

export function searchParameter(what: string) {
  const rest = `Case and accents are ignored. Finds ${searchRowsMax} at most, in one page: first those in which all words begin words.`;
  return optional(
    string({
      minLength: 1,
      maxLength: searchLengthMax,
      pattern: `^[^\\S${controls}]*[^\\s${controls}][^${controls}]*$`,
      mustBe: 'a single line of text that is not blank',
      rule: separatorIssue,
      description: `${what} ${rest}`,
      examples: ['hopper'],
    }),
  );
}

type SearchableQuery = {
  readonly q?: string;
  readonly limit?: number;
  readonly sort?: string;
  readonly cursor?: string;
  readonly total?: boolean;
};

/**
 * Returns the issues of `q` with a sort, a cursor or a total: a search has its own order and a single page.
 */
export function searchIssues({ q, limit = searchRowsMax, ...others }: SearchableQuery): Issue[] {
  if (q === undefined) return [];
  const issues: Issue[] = [];
  if (limit > searchRowsMax)
    issues.push(issueOf('limit', 'maximum', `With q, limit must be at most ${searchRowsMax}.`));
  for (const name of ['sort', 'cursor', 'total'] as const) {
    if (others[name] === undefined) continue;
    issues.push(issueOf(name, 'not-with-q', `${name} can’t be combined with q; omit one of them.`));
  }
  return issues;
}

function issueOf(parameter: string, code: string, detail: string): Issue {
  return { parameter, code, detail };
}
