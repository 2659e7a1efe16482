// The steps of a request, in order: check its head, find its route and its caller, count it against a rate, check the
// caller's right, read the body, call the handler, send the response. An error of any step ends in `#fail`, for this
// request alone.
import { checkAccess, clientOf, isStaff, type Caller } from '../../auth/access.ts';
import { causeOf, truncate } from '../../base/log-lines.ts';
import type { Logger } from '../../base/logger.ts';
import { Problem, invalid } from '../../problem.ts';
import type { Limiters } from '../../rates/limiter.ts';
import type { ArrivedRequest } from '../connections/http-server.ts';
import { checkTransport } from '../connections/peer.ts';
import { mediaTypesOf } from '../routing/reply.ts';
import type { Route } from '../routing/route.ts';
import { allowedMethods, type Match, type MountedRoute, type Router } from '../routing/router.ts';
import { checkPostConditions } from './conditional.ts';
import { authenticate } from './credential.ts';
import { Idempotency, type ResponseStore } from './idempotency.ts';
import { checkContentType, chooseMediaType } from './negotiate.ts';
import { hasBody, noBytes, RequestBody } from './request-body.ts';
import { checkHead, createRequestIds, readHead, type RequestHead } from './request-head.ts';
import { Responder, unparsedResponse, type ResponseServices } from './responder.ts';
import { RouteCall, type CallServices } from './route-call.ts';

type RequestHandlerOptions = {
  readonly router: Router;
  readonly callServices: CallServices;
  readonly responseServices: ResponseServices;
  readonly limiters: Pick<Limiters, 'default' | 'anonymous' | 'changes'>;
  readonly responseStore: ResponseStore;
  readonly acceptsQueryKeys: boolean;
  readonly log: Logger;
};

/** A request whose head has arrived, and its route. */
type FoundRequest = {
  readonly arrived: ArrivedRequest;
  readonly head: RequestHead;
  /** The routes of the path, one for each method. */
  readonly match: Match | undefined;
  /** The route of the path and the method. */
  readonly mounted: MountedRoute | undefined;
  readonly body: RequestBody | undefined;
};

/** Handles requests, and responds to bytes that don't form one. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #idempotency: Idempotency;
  readonly #nextRequestId = createRequestIds();

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    this.#idempotency = new Idempotency(options.responseStore);
  }

  /** Answers a request once all earlier responses have left its connection; its body arrives meanwhile. */
  onRequest(arrived: ArrivedRequest): void {
    const { router, responseServices } = this.#options;
    const { request, response, connection } = arrived;
    if (connection.isEnding) return void request.resume(); // nothing after the last request is answered
    responseServices.metrics.loopDelay.sample();
    const head = readHead(request, connection.peer, this.#nextRequestId);
    const match = router.find(head.path);
    const mounted = match?.routes.get(head.method);
    const streamed = mounted?.route.streamedBody;
    const body = hasBody(request) ? new RequestBody(arrived, streamed?.bytesMax) : undefined;
    connection.body = body;
    // an idle connection keeps nothing of its last request
    if (body !== undefined) request.once('close', () => connection.forgetBody(body));
    const answer = (): void => void this.#answer({ arrived, head, match, mounted, body });
    const hasRoom = connection.startInTurn(response, body?.isStreamed === true, answer);
    if (!hasRoom) responseServices.metrics.dropped.pipelined += 1;
    if (body?.problem !== undefined) connection.endAfterResponse(); // the body that it announces is too long
  }

  /** Counts and logs bytes that don't form a request. Returns the whole response. */
  onUnparsed(problem: Problem, address: string): string {
    return unparsedResponse(
      problem,
      { requestId: this.#nextRequestId(), address },
      this.#options.responseServices,
    );
  }

  /** Called after the last response. */
  close(): void {
    this.#options.responseServices.log.endMinute();
  }

  /** Runs synchronously, unless the request has to wait for its body, for the disk or for a thread. */
  async #answer({ arrived, head, match, mounted, body }: FoundRequest): Promise<void> {
    const { callServices, responseServices, limiters } = this.#options;
    const responder = new Responder(arrived, head, responseServices);
    let hasPassedRate = false;
    try {
      callServices.database.detectExternalCommits();
      checkHead(head);
      // a health check carries no credential, and shows nobody's data
      if (!responseServices.isTls && !head.path.startsWith('/health/'))
        checkTransport(head.peer, head.headers);
      if (arrived.expectation === 'other')
        throw new Problem('bad-request', 'Only "Expect: 100-continue" is supported.', { status: 417 });
      responder.mounted = mounted;
      const isOptions = head.method === 'OPTIONS';
      if (isOptions && responseServices.cors.allowsPreflight(head.headers))
        return responder.respondToOptions(match);
      const caller = this.#authenticateWithinRate(responder, head, match);
      hasPassedRate = true;
      if (match === undefined) throw new Problem('not-found', `There is nothing at ${head.path}.`);
      if (isOptions) return responder.respondToOptions(match);
      if (mounted === undefined) throw methodNotAllowed(head, match);
      const { route } = mounted;
      checkAccess(route, caller, match.params);
      const mediaType = chooseMediaType(head.headers['accept'], mediaTypesOf(route.reply));
      const call = new RouteCall(
        { head, route, params: match.params, mediaType, caller, body },
        responder,
        callServices,
      );
      if (body?.mayBeEmpty === true && route.streamedBody === undefined) {
        await body.whenBegun(); // an empty chunked body counts as none
        call.caller = call.recheckCaller();
      }
      checkContent(head, route, body);
      if (head.method === 'POST') checkPostConditions(head.headers, { isReadable: match.routes.has('GET') });
      if (route.streamedBody !== undefined) body?.beginReading();
      const bodyFollows = body?.isWhole === false;
      const bytes = route.body === undefined ? noBytes : ((await body?.next()) ?? noBytes);
      if (route.body !== undefined && bodyFollows) call.caller = call.recheckCaller();
      const issues = call.readContent(bytes);
      const firstResponse = this.#idempotency.findFirstResponse(call, bytes, issues);
      if (issues.length > 0) throw invalid(issues);
      if (firstResponse !== undefined) return responder.replay(firstResponse);
      this.#consumeChangeToken(call);
      const result = this.#idempotency.handle(call, bytes);
      const settled = result instanceof Promise ? await result : result;
      call.assertPreconditionChecked();
      responder.respond(call, settled);
    } catch (error) {
      // a request that fails before its rate is checked counts against the anonymous rate of its network
      const exceeded = hasPassedRate
        ? undefined
        : responder.consumeClientToken(limiters.anonymous, head.network);
      this.#fail(responder, head, exceeded ?? error);
    }
  }

  /** Consumes a token of the client's bucket. Returns the caller if the route reads credentials. Throws 429. */
  #authenticateWithinRate(
    responder: Responder,
    head: RequestHead,
    match: Match | undefined,
  ): Caller | undefined {
    const { limiters } = this.#options;
    const route = responder.mounted?.route;
    const readsCredential = route !== undefined && route.access.credentials !== 'ignored';
    const known = readsCredential ? this.#findCaller(head) : undefined;
    responder.principal = known?.principal ?? null;
    // OPTIONS, and methods that the path lacks, have the rate of the path's GET
    const rated = route ?? match?.routes.get('GET')?.route;
    if (rated?.isUnlimited === true) return known;
    const counted = readsCredential ? known : this.#findCallerIfValid(head);
    const exceeded =
      counted === undefined
        ? responder.consumeClientToken(limiters.anonymous, head.network)
        : responder.consumeClientToken(limiters.default, counted.client);
    if (exceeded !== undefined) throw exceeded;
    return known;
  }

  #findCaller(head: RequestHead): Caller | undefined {
    const { callServices, acceptsQueryKeys } = this.#options;
    return authenticate(head, {
      authenticator: callServices.authenticator,
      acceptsQueryKeys,
      now: callServices.now(),
    });
  }

  /** Where no caller is needed, an invalid credential is like a missing one. */
  #findCallerIfValid(head: RequestHead): Caller | undefined {
    try {
      return this.#findCaller(head);
    } catch (error) {
      if (error instanceof Problem) return undefined;
      throw error;
    }
  }

  /**
   * From here on a request counts as a change, even if its handler responds with 403, 404 or 409, or changes nothing.
   * Invalid requests and repeats don't count. The keys of a user share the user's bucket; for sign-ups, each
   * network has a bucket. Staff aren't limited.
   */
  #consumeChangeToken(call: RouteCall): void {
    const { route, caller } = call;
    const isCounted = route.countsAsChange ?? (route.method !== 'GET' && route.method !== 'POST');
    if (isCounted && !(caller !== undefined && isStaff(caller)))
      call.consumeToken(this.#options.limiters.changes, clientOf(call));
  }

  /** Where all errors of a request end, until its response has begun. */
  #fail(responder: Responder, head: RequestHead, error: unknown): void {
    const { log } = this.#options;
    const { requestId, path } = head;
    try {
      if (error instanceof Problem) return responder.respondWithProblem(error);
      log.write('error', 'a request failed unexpectedly', {
        requestId,
        path: truncate(path),
        cause: causeOf(error),
      });
      const detail = `An unexpected error occurred; the log has its cause under ${requestId}.`;
      responder.respondWithProblem(new Problem('internal-error', detail));
    } catch (failure) {
      log.write('error', 'a response could not be sent', { requestId, cause: causeOf(failure) });
      responder.destroy();
    }
  }
}

/** Checks what the head says about the body. */
function checkContent(
  { headers, method, path }: RequestHead,
  route: Route,
  body: RequestBody | undefined,
): void {
  if (route.streamedBody !== undefined)
    return checkContentType(headers, method, Object.keys(route.streamedBody.contents));
  if (body === undefined || body.isEmpty) return;
  if (route.body !== undefined) return checkContentType(headers, method);
  // the client expects it to have an effect
  throw new Problem('bad-request', `${method} ${path} takes no request body; send none.`);
}

function methodNotAllowed({ method, path }: RequestHead, { routes }: Match): Problem {
  const allow = allowedMethods(routes);
  const detail = `${path} supports ${allow.join(', ')}, not ${method}.`;
  return new Problem('method-not-allowed', detail, { allow });
}
