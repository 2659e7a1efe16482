// Reads the credential of a request: one access token or one API key.
import type { Caller } from '../auth/access.ts';
import { isApiKey, type Authenticator } from '../auth/credentials.ts';
import { Problem } from '../problem.ts';
import type { Exchange } from './exchange.ts';
import { decode } from './query.ts';
import { countOccurrences, type RequestHeaders } from './request-headers.ts';

type CredentialOptions = { readonly authenticator: Authenticator; readonly acceptsQueryKeys: boolean };

/** Returns undefined if the request has no credential. Throws if it is invalid, or if there are several. */
export function authenticateRequest(
  exchange: Exchange,
  { authenticator, acceptsQueryKeys }: CredentialOptions,
): Caller | undefined {
  const { headers, queryApiKeys, now } = exchange;
  checkSingle(exchange);
  if (headers['authorization'] !== undefined && !isApiKeyInBothFields(headers))
    return authenticator.authenticateBearer(headers['authorization'], now);
  const [queryKey] = queryApiKeys;
  if (queryKey !== undefined && !acceptsQueryKeys)
    throw new Problem(
      'invalid-token',
      'The parameter api_key is disabled; send the key in the X-API-Key header.',
    );
  const key = headers['x-api-key'] ?? (queryKey === undefined ? undefined : decode(queryKey));
  return key === undefined ? undefined : authenticator.authenticateKey(key, now);
}

function checkSingle({ request, headers, queryApiKeys }: Exchange): void {
  const tokens = countOccurrences(request, 'authorization');
  const keys = countOccurrences(request, 'x-api-key');
  if (tokens + keys + queryApiKeys.length <= 1) return;
  if (tokens === 1 && keys === 1 && queryApiKeys.length === 0 && sendsSameTextTwice(headers)) return;
  const detail = 'Send exactly one credential: an access token or an API key.';
  throw new Problem('multiple-credentials', detail);
}

/** Generated clients send one credential in each header that the OpenAPI document names. */
function sendsSameTextTwice({ authorization, 'x-api-key': key }: RequestHeaders): boolean {
  return key !== undefined && authorization === `Bearer ${key}`;
}

function isApiKeyInBothFields(headers: RequestHeaders): boolean {
  return sendsSameTextTwice(headers) && isApiKey(headers['x-api-key'] ?? '');
}
