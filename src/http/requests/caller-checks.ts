// Determines the caller of a request, and the rights of the caller: when the head has arrived, after each
// wait, and inside the write.
import { checkAccess, isStaff, type Caller } from '../../auth/access.ts';
import type { CallerLookups } from '../../auth/caller-cache.ts';
import { isApiKey, type Authenticator } from '../../auth/credentials.ts';
import type { Connection } from '../../storage/connection.ts';
import { Problem } from '../../problem.ts';
import type { Database } from '../../storage/database.ts';
import type { Exchange } from './exchange.ts';
import type { Limiter } from '../../rates/limiter.ts';
import { decode } from './query.ts';
import { valuesOf } from './request-headers.ts';

export type CallerCheckOptions = {
  readonly authenticator: Authenticator;
  /** Returns the sessions and keys that a running write sees. */
  readonly lookupsOf: (writer: Connection) => CallerLookups;
  readonly database: Database;
  readonly limiters: {
    readonly default: Limiter;
    readonly anonymous: Limiter;
    readonly created: Limiter;
  };
  readonly acceptsQueryKeys: boolean;
};

export class CallerChecks {
  readonly #options: CallerCheckOptions;

  constructor(options: CallerCheckOptions) {
    this.#options = options;
  }

  /** Authenticates the caller if the route reads credentials, and consumes a token of the client's bucket. */
  admit(exchange: Exchange): void {
    const { match, mounted } = exchange;
    const readsCredential = mounted !== undefined && mounted.route.access.credentials !== 'ignored';
    if (readsCredential) exchange.caller = this.#authenticate(exchange);
    // OPTIONS, and methods that the path lacks, draw on the same rate as the path's GET
    const { route } = mounted ?? match?.methods.get('GET') ?? {};
    if (route?.isUnlimited === true) return;
    const caller = readsCredential ? exchange.caller : this.#findCaller(exchange);
    if (caller === undefined) this.consumeNetworkToken(exchange);
    else exchange.consumeClientToken(this.#options.limiters.default, caller.client);
  }

  /** Consumes a token of the network's bucket. */
  consumeNetworkToken(exchange: Exchange): void {
    exchange.consumeClientToken(this.#options.limiters.anonymous, exchange.network);
  }

  /**
   * Consumes a token of the daily quota, if the route counts against it. The keys of a user share the user's
   * bucket; for sign-ups, each network has a bucket. Staff aren't limited.
   */
  consumeQuotaToken(exchange: Exchange): void {
    const { route, caller } = exchange;
    const isCounted = route.countsAgainstQuota ?? (route.method !== 'GET' && route.method !== 'POST');
    if (!isCounted) return;
    const quota = this.#options.limiters.created;
    if (caller === undefined) exchange.consumeToken(quota, exchange.network);
    else if (!isStaff(caller)) exchange.consumeToken(quota, caller.client);
  }

  /**
   * Returns the caller with their current rights. Throws if the caller lost the right while the request
   * waited.
   */
  recheckCaller(exchange: Exchange): Caller | undefined {
    if (exchange.caller === undefined) return undefined;
    this.#options.database.detectExternalCommits();
    return this.#recheck(exchange);
  }

  /**
   * Returns the caller as this write sees them, after earlier writes. Throws if the caller has lost the
   * right.
   */
  recheckCallerInWrite(exchange: Exchange, writer: Connection): Caller | undefined {
    return this.#recheck(exchange, this.#options.lookupsOf(writer));
  }

  /** Whether the caller has lost the right to the request because their credential has expired. */
  hasExpired(exchange: Exchange): boolean {
    const { caller, now } = exchange;
    if (caller === undefined) return false;
    return this.#options.authenticator.hasExpired(caller, { authorization: authorizationOf(exchange), now });
  }

  /** Returns the caller whose credential the request carries; undefined if it carries none. */
  #authenticate(exchange: Exchange): Caller | undefined {
    try {
      return authenticateRequest(exchange, this.#options);
    } catch (error) {
      this.consumeNetworkToken(exchange);
      throw error;
    }
  }

  /** Treats an invalid credential like a missing one, for routes that need no caller. */
  #findCaller(exchange: Exchange): Caller | undefined {
    try {
      return authenticateRequest(exchange, this.#options);
    } catch (error) {
      if (error instanceof Problem) return undefined;
      throw error;
    }
  }

  #recheck(exchange: Exchange, lookups?: CallerLookups): Caller | undefined {
    const { caller, mounted, match, now } = exchange;
    if (caller === undefined || mounted === undefined || match === undefined) return caller;
    const authorization = authorizationOf(exchange);
    const current = this.#options.authenticator.requireCaller(caller, { authorization, now }, lookups);
    checkAccess(mounted.route, current, match.params);
    return current;
  }
}

type CredentialOptions = { readonly authenticator: Authenticator; readonly acceptsQueryKeys: boolean };

/** Returns undefined if the request has no credential. Throws if it is invalid, or if there are several. */
function authenticateRequest(
  exchange: Exchange,
  { authenticator, acceptsQueryKeys }: CredentialOptions,
): Caller | undefined {
  const keys = valuesOf(exchange.request, 'x-api-key');
  const queryKeys = exchange.queryApiKeys.map(decode);
  const tokens = tokensIn(exchange);
  checkSingle({ tokens, keys, queryKeys });
  const allKeys = [...keys, ...queryKeys];
  const key = allKeys.find(isNotEmpty) ?? allKeys[0];
  const authorization = authorizationOf(exchange);
  const hasKey = key !== undefined && key !== '';
  const isToken = !hasKey || (tokens.length > 0 && !isApiKey(key));
  if (authorization !== undefined && isToken)
    return authenticator.authenticateBearer(authorization, exchange.now);
  if (key === undefined) return undefined;
  if (!acceptsQueryKeys && !keys.includes(key)) throw new Problem('invalid-token', queryKeysDisabled);
  return authenticator.authenticateKey(key, exchange.now);
}

const queryKeysDisabled = 'The parameter api_key is disabled; send the key in the X-API-Key header.';

/** The line of Authorization that counts, if there are several: proxies add their own. */
function authorizationOf({ request, headers: { authorization } }: Exchange): string | undefined {
  if (authorization?.includes(',') !== true) return authorization;
  return valuesOf(request, 'authorization').find((value) => tokenForm.test(value)) ?? authorization;
}

/** Other schemes are not for this service, and `Bearer` without a token is no credential. */
const tokenForm = /^bearer +([^ ].*)$/i;

function tokensIn({ request }: Exchange): string[] {
  return valuesOf(request, 'authorization').flatMap((value) => tokenForm.exec(value)?.[1] ?? []);
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
