// The path of a request: find route → authenticate → spend → authorize → read and check → handle → answer.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { checkAccess, type Caller } from '../auth/access.ts';
import type { CallerSources } from '../auth/caller-cache.ts';
import type { Authenticator } from '../auth/credentials.ts';
import { Problem, invalid } from '../errors.ts';
import { requestIdLengthMax, urlBytesMax } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { check } from '../schema/schema-check.ts';
import type { Issue } from '../schema/schema.ts';
import type { Connection } from '../storage/connection.ts';
import type { Database } from '../storage/database.ts';
import { createResponder, type ResponderOptions } from './responder.ts';
import { parseJson, readBody } from './body.ts';
import { Exchange } from './exchange.ts';
import { checkHeaderBytes, checkHost, countOccurrences } from './request-headers.ts';
import { createIdempotency, type StoredResponses } from './idempotency.ts';
import type { Metrics } from './metrics.ts';
import { checkContentType, chooseMediaType } from './negotiate.ts';
import { checkTransport, peerOf, type Peer } from './peer.ts';
import { createPipeline } from './pipeline.ts';
import type { Limiter } from './rate-limit.ts';
import { decode, readQuery } from './query.ts';
import type { Representation } from './representation.ts';
import type { Route } from './route.ts';
import { allowOf, type Mounted, type Router } from './router.ts';

export type ServiceOptions = ResponderOptions & {
  readonly router: Router;
  readonly authenticator: Authenticator;
  /** Sessions and keys as a write under way sees them. */
  readonly sourcesOf: (writer: Connection) => CallerSources;
  readonly db: Database;
  readonly kept: StoredResponses;
  readonly limiters: { readonly default: Limiter; readonly anonymous: Limiter };
  readonly isTrusted: (address: string) => boolean;
  readonly takesQueryKeys: boolean;
  readonly now: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** A socket, and who is at its other end. */
type PeerSocket = Socket & { [peerKey]?: Peer };
const peerKey = Symbol('peer');

export type RequestHandlers = ReturnType<typeof createRequestHandlers>;

/** What the server calls for each request, and for what isn't one. */
export function createRequestHandlers(options: ServiceOptions) {
  const { router, authenticator, db, limiters, isTrusted, now } = options;
  const answerer = createResponder(options);
  const { answer, answerOptions, answerProblem, refusal } = answerer;
  const once = createIdempotency(options.kept, answerer);
  const requestIds = requestIdSource();
  const inTurn = createPipeline({ onCut: () => (options.metrics.cuts.pipelined += 1) });

  function createExchange(request: IncomingMessage, response: ServerResponse): Exchange {
    const socket: PeerSocket = request.socket;
    const peer = (socket[peerKey] ??= peerOf(socket.remoteAddress, isTrusted));
    return new Exchange(request, response, {
      peer,
      now: now(),
      requestId: requestIds(),
      db,
      isTrusted,
      rightsIn,
    });
  }

  function runStep(exchange: Exchange, step: (exchange: Exchange) => Promise<void> | undefined): void {
    try {
      step(exchange)?.catch((error: unknown) => fail(exchange, error));
    } catch (error) {
      fail(exchange, error);
    }
  }

  /** In the order of the rules; synchronous to the end for what reads no body and waits for no disk. */
  function handleRequest(exchange: Exchange): Promise<void> | undefined {
    checkRequest(exchange);
    const match = router.find(exchange.path);
    const mounted = match?.methods.get(exchange.method);
    exchange.mounted = mounted;
    if (match !== undefined && exchange.method === 'OPTIONS') return answerOptions(exchange, match.methods);
    authenticate(exchange, mounted);
    spend(exchange, mounted);
    if (match === undefined) throw new Problem('not-found', `There is nothing at ${exchange.path}.`);
    if (mounted === undefined) throw methodNotAllowed(exchange, allowOf(match.methods));
    exchange.params = match.params;
    checkAccess(mounted.route, exchange.caller, exchange.params);
    exchange.mediaType = chooseMediaType(exchange.headers['accept'], mounted.route.reply.mediaTypes);
    return mounted.route.body === undefined ? handle(exchange, mounted) : handleBody(exchange, mounted);
  }

  function checkRequest(exchange: Exchange): void {
    const { headers: fields, request, peer } = exchange;
    const named = fields['x-request-id'];
    if (named !== undefined && named.length <= requestIdLengthMax && /^[\w.-]+$/.test(named))
      exchange.requestId = named;
    if ((request.url ?? '').length > urlBytesMax)
      throw new Problem('uri-too-long', `The request target must have at most ${urlBytesMax} bytes.`);
    if (request.url === '*' && exchange.method !== 'OPTIONS')
      throw new Problem('bad-request', 'The request target * is only valid with OPTIONS.');
    checkHeaderBytes(request);
    checkHost(request);
    if (!options.isTls) checkTransport(peer, fields);
  }

  function authenticate(exchange: Exchange, mounted: Mounted | undefined): void {
    if (mounted === undefined || mounted.route.access.credentials === 'ignored') return;
    try {
      exchange.caller = callerOf(exchange);
    } catch (error) {
      exchange.spend(limiters.anonymous, exchange.address); // a bad credential draws on the address's bucket
      throw error;
    }
  }

  function callerOf(exchange: Exchange): Caller | undefined {
    const { headers: fields, queryKeys, request } = exchange;
    if (
      countOccurrences(request, 'authorization') + countOccurrences(request, 'x-api-key') + queryKeys.length >
      1
    ) {
      throw new Problem(
        'multiple-credentials',
        'Send exactly one credential: an access token or an API key.',
      );
    }
    if (fields['authorization'] !== undefined)
      return authenticator.bearer(fields['authorization'], exchange.now);
    const [queryKey] = queryKeys;
    if (queryKey !== undefined && !options.takesQueryKeys)
      throw new Problem(
        'invalid-token',
        'The parameter api_key is disabled; send the key in the X-API-Key header.',
      );
    const key = fields['x-api-key'] ?? (queryKey === undefined ? undefined : decode(queryKey));
    return key === undefined ? undefined : authenticator.apiKey(key, exchange.now);
  }

  function spend(exchange: Exchange, mounted: Mounted | undefined): void {
    if (mounted?.route.isUnlimited === true) return;
    if (exchange.caller === undefined) exchange.spend(limiters.anonymous, exchange.address);
    else exchange.spend(limiters.default, exchange.caller.bucket);
  }

  function handle(exchange: Exchange, { route }: Mounted): Promise<void> | undefined {
    const issues: Issue[] = [];
    exchange.query = readQuery(exchange.queryText, route.query, issues);
    // not thrown: that is a tenth of what a refusal costs
    if (issues.length > 0) return fail(exchange, invalid(issues));
    return answerWith(exchange, route, route.handle(exchange));
  }

  /** Goes on when the body is there. */
  function handleBody(exchange: Exchange, { route }: Mounted): undefined {
    checkContentType(exchange.headers, exchange.method);
    readBody(
      exchange,
      (bytes) => runStep(exchange, () => handleBytes(exchange, route, bytes)),
      (problem) => fail(exchange, problem),
    );
  }

  function handleBytes(exchange: Exchange, route: Route, bytes: Buffer): Promise<void> | undefined {
    authorizeAgain(exchange, route);
    exchange.body = parseJson(bytes);
    const issues: Issue[] = [];
    exchange.query = readQuery(exchange.queryText, route.query, issues);
    const found = check(route.body ?? {}, exchange.body);
    if (found.length > 0) found.push(...referenceIssues(route, exchange, found));
    issues.push(...found);
    const isOnce = route.isIdempotent === true && exchange.headers['idempotency-key'] !== undefined;
    if (isOnce) once.checkKey(exchange.request, issues);
    if (issues.length > 0) return fail(exchange, invalid(issues));
    if (isOnce) return once.run(exchange, route, bytes);
    return answerWith(exchange, route, route.handle(exchange));
  }

  /** A body may arrive long after its head: what counts are the caller's rights now. */
  function authorizeAgain(exchange: Exchange, route: Route): void {
    const { caller, params } = exchange;
    if (caller === undefined) return;
    exchange.caller = authenticator.again(caller, now());
    checkAccess(route, exchange.caller, params);
  }

  /** The caller with the rights that they have inside this write, which changes before it may have taken. */
  function rightsIn(exchange: Exchange, writer: Connection): Caller | undefined {
    const { caller, mounted, params } = exchange;
    if (caller === undefined || mounted === undefined) return caller;
    const current = authenticator.again(caller, now(), options.sourcesOf(writer));
    checkAccess(mounted.route, current, params);
    return current;
  }

  function answerWith(
    exchange: Exchange,
    route: Route,
    made: Representation<unknown> | Promise<Representation<unknown>>,
  ): Promise<void> | undefined {
    if (made instanceof Promise) return made.then((value) => answer(exchange, route, value));
    return void answer(exchange, route, made);
  }

  function fail(exchange: Exchange, error: unknown): undefined {
    if (error instanceof Problem) return void answerProblem(exchange, error);
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
    options.log.log('error', 'a request failed unexpectedly', {
      requestId: exchange.requestId,
      path: exchange.path,
      cause,
    });
    answerProblem(
      exchange,
      new Problem(
        'internal-error',
        `An unexpected error occurred; the log has its cause under ${exchange.requestId}.`,
      ),
    );
  }

  return {
    onRequest(request: IncomingMessage, response: ServerResponse): void {
      inTurn(request, response, () => runStep(createExchange(request, response), handleRequest));
    },
    onContinue(request: IncomingMessage, response: ServerResponse): void {
      inTurn(request, response, () => {
        const exchange = createExchange(request, response);
        exchange.expectsContinue = true;
        runStep(exchange, handleRequest);
      });
    },
    onExpectation(request: IncomingMessage, response: ServerResponse): void {
      inTurn(request, response, () => fail(createExchange(request, response), unknownExpectation()));
    },
    /** The whole answer to what never became a request. */
    refusal: (problem: Problem) => refusal(problem, requestIds(), now()),
  };
}

/** Each place is told of once: what the schema has found there says enough. */
function referenceIssues(route: Route, exchange: Exchange, found: readonly Issue[]): Issue[] {
  if (typeof exchange.body !== 'object' || exchange.body === null || route.validateReferences === undefined)
    return [];
  const faults = route.validateReferences({ ...exchange.body }, exchange);
  return faults.filter(({ pointer }) => !found.some((issue) => issue.pointer === pointer));
}

function unknownExpectation(): Problem {
  return new Problem('bad-request', 'Only "Expect: 100-continue" is supported.', { status: 417 });
}

function methodNotAllowed(exchange: Exchange, allow: readonly string[]): Problem {
  return new Problem(
    'method-not-allowed',
    `${exchange.path} supports ${allow.join(', ')}, not ${exchange.method}.`,
    { allow },
  );
}

/**
 * Unique without asking the system for randomness each time: a random prefix for the process and a counter.
 */
function requestIdSource(): () => string {
  const prefix = randomBytes(9).toString('base64url') + '-';
  let count = 0;
  return () => prefix + (count += 1);
}
