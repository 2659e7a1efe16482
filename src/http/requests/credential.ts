// Finds the credential of a request, and the caller who sent it.
import type { Caller } from '../../auth/access.ts';
import { isApiKey, type Authenticator } from '../../auth/credentials.ts';
import { Problem } from '../../problem.ts';
import { decode } from './query.ts';
import { fieldValues, type RequestHead } from './request-head.ts';

type Options = {
  readonly authenticator: Authenticator;
  readonly acceptsQueryKeys: boolean;
  readonly now: number;
};

/** Returns undefined if the request has no credential. Throws if it is invalid, or if there are several. */
export function authenticate(
  head: RequestHead,
  { authenticator, acceptsQueryKeys, now }: Options,
): Caller | undefined {
  const keys = fieldValues(head, 'x-api-key');
  const queryKeys = head.queryApiKeys.map(decode);
  const tokens = tokensIn(head);
  checkSingle({ tokens, keys, queryKeys });
  const allKeys = [...keys, ...queryKeys];
  const key = allKeys.find(isNotEmpty) ?? allKeys[0];
  const authorization = authorizationOf(head);
  const hasKey = key !== undefined && key !== '';
  const isToken = !hasKey || (tokens.length > 0 && !isApiKey(key));
  if (authorization !== undefined && isToken) return authenticator.authenticateBearer(authorization, now);
  if (key === undefined) return undefined;
  if (!acceptsQueryKeys && !keys.includes(key)) throw new Problem('invalid-token', queryKeysDisabled);
  return authenticator.authenticateKey(key, now);
}

const queryKeysDisabled = 'The parameter api_key is disabled; send the key in the X-API-Key header.';

/** The line of Authorization that counts, if there are several: proxies add their own. */
export function authorizationOf(head: RequestHead): string | undefined {
  const { authorization } = head.headers;
  if (authorization?.includes(',') !== true) return authorization;
  return fieldValues(head, 'authorization').find((value) => tokenForm.test(value)) ?? authorization;
}

/** Other schemes are not for this service, and `Bearer` without a token is no credential. */
const tokenForm = /^bearer +([^ ].*)$/i;

function tokensIn(head: RequestHead): string[] {
  return fieldValues(head, 'authorization').flatMap((value) => tokenForm.exec(value)?.[1] ?? []);
}

type Credentials = { readonly [part in 'tokens' | 'keys' | 'queryKeys']: readonly string[] };

/** Generated clients send one credential in each header that the OpenAPI document names: that is one. */
function checkSingle({ tokens, keys, queryKeys }: Credentials): void {
  const sent = new Set([...tokens, ...keys, ...queryKeys].filter(isNotEmpty));
  if (sent.size <= 1) return;
  const places = [
    ...tokens.map((token) => `${nothingForm.test(token) ? `"Bearer ${token}"` : 'a token'} in Authorization`),
    ...keys.filter(isNotEmpty).map(() => 'an API key in X-API-Key'),
    ...queryKeys.filter(isNotEmpty).map(() => 'an API key in the query'),
  ];
  const detail = `The request has ${places.join(' and ')}; send one credential.`;
  throw new Problem('multiple-credentials', detail);
}

function isNotEmpty(text: string): boolean {
  return text !== '';
}

/** What JavaScript writes for a variable without a token. */
const nothingForm = /^(?:undefined|null|NaN|\[object \w+\])$/;
