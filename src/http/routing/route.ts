// A route is one value. Matching, access, validation, types and documentation follow from it.
import type { Access, Caller, RowAccess, Scope } from '../../auth/access.ts';
import type { Problem, ProblemCode } from '../../problem.ts';
import type { Limiter } from '../../rates/limiter.ts';
import type { Issue, JsonSchema, MemberSchemas, ObjectOf, Schema } from '../../schema/schema.ts';
import type { SecurityEvent } from '../../security-event.ts';
import type { Connection, Synchronous } from '../../storage/connection.ts';
import type { DatabaseReads } from '../../storage/database.ts';
import type { Permit } from '../../storage/permit.ts';
import type { RequestHeaders } from '../connections/request-fields.ts';
import type { HandlerResult, Reply, ResultOf } from './reply.ts';

/** A streamed body, as its handler reads it. */
type StreamedBody = {
  /** Returns the bytes that arrived since the last call; undefined at the end. Rejects if the body fails. */
  next(): Promise<Buffer | undefined>;
  /** Rejects the body, and ends the connection after the response. */
  abort(problem: Problem): void;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The one path parameter that is a string; all others are ids. */
export const nameParameter = 'name';

/** `'/orders/{id}'` has `{ id: number }`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: Name extends typeof nameParameter ? string : number } & ParamsOf<Rest>
  : object;

/** The header fields that handlers read; credentials, conditions and cookies have their own functions. */
type HandlerHeaders = Pick<
  RequestHeaders,
  'accept-language' | 'content-type' | 'last-event-id' | 'sec-fetch-site' | 'user-agent'
>;

/**
 * The argument of a handler: the part of a `RouteCall` that handlers use. Call its methods on the object
 * itself; with `this: object`, a call of a destructured method doesn't compile.
 */
export type Call<Params, Query, Body, C> = DatabaseReads & {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The body as it arrives, for a route that declares a streamed body; undefined if there is none. */
  readonly streamedBody: StreamedBody | undefined;
  readonly caller: C;
  readonly path: string;
  readonly requestId: string;
  readonly headers: HandlerHeaders;
  /** The present time, in milliseconds since 1970. The time of a change is in its permit. */
  readonly now: number;
  /**
   * Runs the callback in a transaction. First reads session or key and role in it, checks access and scope
   * again, and passes the permit that changes require. Resolves once the changes are on disk. If the
   * callback throws, its changes are undone, and its security events are not reported. With an
   * Idempotency-Key the result is the response that is stored in the same transaction.
   */
  write<T>(this: object, callback: (permit: Permit<C>) => Synchronous<T>): Promise<T>;
  /**
   * Called after a wait: returns the caller with their current rights. Throws if they have lost the right to
   * this request.
   */
  recheckCaller(this: object): C;
  /** Whether the caller's credential has expired since the request began. */
  hasExpired(this: object): boolean;
  /**
   * Throws 412 if the request's conditions (If-Match, If-None-Match) fail for the current version. `etagOf`
   * returns its ETag, or undefined if there is none; it is called only if the request has conditions. A PUT,
   * PATCH or DELETE whose handler doesn't call `checkPrecondition` fails.
   */
  checkPrecondition(this: object, etagOf: () => string | undefined): void;
  /** Consumes a token from a bucket of the route's own. Throws 429 if it is empty. */
  consumeToken(this: object, limiter: Limiter, key: string): void;
  /** Logs a security event with the request's id, address and principal, when the response is sent. */
  reportSecurityEvent(this: object, event: SecurityEvent): void;
  /** Sets the value of the response's Set-Cookie field, which is sent with any status. */
  setCookie(this: object, value: string): void;
  readonly cookie: string | undefined;
  /** The negotiated media type of the response. */
  readonly mediaType: string;
  /** The client's network: an IPv4 address, or an IPv6 /48. */
  readonly network: string;
  /** Whether a process of this machine sent the request, without a proxy and to a local name. */
  readonly isFromThisMachine: boolean;
  /** Whether the request is HTTP/1.0: its response can't have chunks. */
  readonly isHttp10: boolean;
};

/** A message that the service sends to a webhook; `name` is its name in the OpenAPI document. */
export type WebhookMessage = {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: JsonSchema;
};

/** A body of lines, each with its own value. */
type StreamedBodyDeclaration = {
  readonly bytesMax: number;
  /** Its possible contents, by media type. */
  readonly contents: Readonly<Record<string, StreamedContent>>;
};
type StreamedContent = {
  readonly description: string;
  readonly example: string;
  /** The schema of one line, if a line is a value of JSON. */
  readonly lineSchema?: JsonSchema;
};

type AnyCall = Call<object, object, unknown, Caller | undefined>;

type RouteDeclaration<Path extends string, Q extends MemberSchemas, Body, R extends Reply, C> = {
  readonly method: Method;
  readonly path: Path;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The operation's name in the OpenAPI document; by default it is derived from method and path. */
  readonly operationId?: string;
  /** The schema of `{name}` in the path, for the documentation only: other names are a 404. */
  readonly nameSchema?: JsonSchema;
  /** Who may call the route; there is no default. */
  readonly access: Access<ParamsOf<Path>, C>;
  /** The scope that an API key needs; a route without one can't be called with a key. */
  readonly scope?: Scope | 'any';
  readonly query?: Q;
  readonly body?: Schema<Body>;
  /** Declares a body that `handle` reads as it arrives. */
  readonly streamedBody?: StreamedBodyDeclaration;
  readonly reply: R;
  /** The problems of this route, besides the problems that every route can have. */
  readonly problems?: readonly ProblemCode[];
  /** Whether a response is stored for an Idempotency-Key and sent again to repeats of the request. */
  readonly acceptsIdempotencyKey?: boolean;
  /**
   * Returns the current owner of the object with this id; undefined once the object is deleted. A response
   * stored for an Idempotency-Key is sent again only to a caller who may still read the object.
   */
  readonly findOwnerId?: (db: Connection, id: number) => number | null | undefined;
  /** The access to objects that stored responses show; by default staff sees all of them. */
  readonly objectAccessOf?: (caller: Caller) => RowAccess;
  readonly isUnlimited?: boolean;
  /**
   * Whether the route may set, or set and read, the cookie of a browser's session. Other routes can do
   * neither.
   */
  readonly sessionCookie?: 'set' | 'read and set';
  /**
   * Whether requests count against the user's rate of changes (`--rate-created`). By default PUT, PATCH and DELETE do.
   * A route that ends sessions or keys is exempt, since a user can end only what was created before.
   */
  readonly countsAsChange?: boolean;
  /** The message that the service sends later, to a URL that the request names. */
  readonly webhookMessage?: WebhookMessage;
  /** Finds issues between parameters, such as an empty range. An invalid parameter is undefined. */
  queryIssues?(query: ObjectOf<Q>, call: Pick<AnyCall, 'mediaType' | 'now'>): readonly Issue[];
  handle(call: Call<ParamsOf<Path>, ObjectOf<Q>, Body, C>): NoInfer<ResultOf<R> | Promise<ResultOf<R>>>;
};

/** A route as the server sees it, without the types of its declaration, which the compiler has checked. */
export type Route = Omit<
  RouteDeclaration<string, MemberSchemas, unknown, Reply, Caller | undefined>,
  'handle' | 'queryIssues'
> & {
  queryIssues?(query: object, call: Pick<AnyCall, 'mediaType' | 'now'>): readonly Issue[];
  handle(call: AnyCall): HandlerResult | Promise<HandlerResult>;
};

export function route<
  const Path extends string,
  Q extends MemberSchemas = Readonly<Record<never, JsonSchema>>,
  Body = undefined,
  const R extends Reply = Reply,
  C = Caller,
>(declaration: RouteDeclaration<Path, Q, Body, R, C>): Route {
  // `RouteDeclaration` is checked above, and the server passes each part only values that its schema accepted
  return declaration as unknown as Route;
}
