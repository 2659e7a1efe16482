// A route is one value: matching, access, validation, types and documentation come from it.
import type { Access, Caller, Scope } from '../auth/access.ts';
import type { ProblemCode } from '../problem.ts';
import type { Issue, JsonSchema, Members, ObjectOf, Schema } from '../schema/schema.ts';
import type { Connection, WriteCallback } from '../storage/connection.ts';
import type { SecurityEvent } from '../security-event.ts';
import type { Database } from '../storage/database.ts';
import type { Permit } from '../storage/permit.ts';
import type { WriteOptions } from '../storage/write-transaction.ts';
import type { HandlerResult, ObjectResult } from './handler-result.ts';
import type { Limiter } from '../rates/limiter.ts';
import type { Reply } from './reply.ts';
import type { BodySource } from './streamed-body.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The one path parameter that is a string; all others are ids. */
export const nameParameter = 'name';

/** `'/orders/{id}'` has `{ id: number }`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: Name extends typeof nameParameter ? string : number } & ParamsOf<Rest>
  : object;

/** What handlers may use of the database. */
export type HandlerDatabase = Pick<Database, 'read' | 'write' | 'readInWorker'>;

/**
 * What a handler receives. Its functions are called on it (`this: object`): taken out of it, they don't
 * compile.
 */
export type Context<Params, Query, Body, C> = {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Undefined unless the route declares a streamed body and the request has one. */
  readonly streamedBody: BodySource | undefined;
  readonly caller: C;
  readonly path: string;
  readonly requestId: string;
  /** Milliseconds since 1970, the same all through the request. */
  readonly now: number;
  readonly database: HandlerDatabase;
  /**
   * A write that returns the handler's result. With an Idempotency-Key the response is stored in its
   * transaction, so a route that takes one makes its change with this.
   */
  writeResult<R extends ObjectResult<unknown>>(
    this: object,
    callback: WriteCallback<R>,
    options?: WriteOptions,
  ): Promise<R>;
  /**
   * Called inside a write: reads session or key and role as the write sees them, checks access and scope
   * again, and returns the caller as they are now, with the proof that changes ask for.
   */
  authorizeWrite(this: object, writer: Connection): Permit<C>;
  /**
   * Called after a wait: the caller with the rights that they have now. Throws if they have lost the right to
   * this request.
   */
  authorizeRead(this: object): C;
  /** When the caller's credential expires, unless it is withdrawn before: milliseconds since 1970. */
  credentialExpiresAt(this: object): number;
  /**
   * Throws 412 when the request's conditions (If-Match, If-None-Match) fail for the current version;
   * undefined if there is none yet. The handler of a PUT, PATCH or DELETE that doesn't call it fails.
   */
  checkPrecondition(this: object, etag: string | undefined): void;
  /** Consumes a token from a bucket of the route's own; 429 when it is empty. Returns its refund. */
  drawOnRate(this: object, limiter: Limiter, key: string): () => void;
  /** Logs an event with the request's id, address and principal, as the response is sent. */
  reportSecurityEvent(this: object, event: SecurityEvent): void;
  /** Sets a cookie with the response, whatever its status: the value of a Set-Cookie field. */
  setCookie(this: object, value: string): void;
  /** The cookies of the request, and where a browser says that it comes from (Fetch Metadata). */
  readonly cookie: string | undefined;
  readonly fetchSite: string | undefined;
  /** The negotiated media type of the response. */
  readonly mediaType: string;
  readonly userAgent: string | null;
  /** Undefined if the route stores no responses. */
  readonly idempotencyKey: string | undefined;
  /** Where the reader of an event stream was when it lost its connection. */
  readonly lastEventId: string | undefined;
  /** The client's address as buckets count it: an IPv4 address, or an IPv6 /64. */
  readonly addressBucket: string;
  /** Whether a process of this machine sent it, without a proxy and to a local name. */
  readonly isFromThisMachine: boolean;
  /** A response to HTTP/1.0 has no chunks. */
  readonly isHttp10: boolean;
};

/** A message that the service sends: `name` in the OpenAPI document. */
export type Delivered = {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: JsonSchema;
};

/** A body of lines, each a value of its own. */
type StreamedBodyDeclaration = {
  readonly mediaType: string;
  readonly bytesMax: number;
  /** The schema of one line. */
  readonly schema: JsonSchema;
  /** For the documentation. */
  readonly description: string;
  readonly example: string;
};

type AnyContext = Context<object, object, unknown, Caller | undefined>;

type Declaration<Path extends string, Q extends Members, Body, R extends HandlerResult, C> = {
  readonly method: Method;
  readonly path: Path;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Its name in the OpenAPI document, if not the one made of method and path. */
  readonly operationId?: string;
  /** What `{name}` in the path may be: for the documentation, since other names are a 404. */
  readonly nameSchema?: JsonSchema;
  /** Who may call the route; there is no default. */
  readonly access: Access<ParamsOf<Path>, C>;
  /** The scope that an API key needs; a route without one can't be called with a key. */
  readonly scope?: Scope | 'any';
  readonly query?: Q;
  readonly body?: Schema<Body>;
  /** Instead of a body that is read whole: `handle` of a POST without `{id}` reads it as it arrives. */
  readonly streamedBody?: StreamedBodyDeclaration;
  readonly reply: Reply<R>;
  /** Problems of its own, beyond those that every route can have. */
  readonly problems?: readonly ProblemCode[];
  readonly isIdempotent?: boolean;
  /**
   * The current owner of the object with this id, undefined once it is gone: a response stored for
   * Idempotency-Key is sent again only to a caller who may still read the object.
   */
  readonly ownerOf?: (db: Connection, id: number) => number | null | undefined;
  readonly isUnlimited?: boolean;
  /** Whether it may set the cookie of a browser's session, and whether it reads it; no other can. */
  readonly sessionCookie?: 'set' | 'read and set';
  /** Whether what it creates counts against the daily quota of its user. */
  readonly countsAsCreated?: boolean;
  /** What the service sends afterwards, to a URL that the request names. */
  readonly delivers?: Delivered;
  readonly deprecated?: { readonly since: Date; readonly sunset?: Date; readonly see?: string };
  /** The issues of parameters together. Those that don't fit their schema are undefined. */
  queryIssues?(query: ObjectOf<Q>, context: Pick<AnyContext, 'mediaType' | 'now'>): readonly Issue[];
  /**
   * Called when a request has issues already: finds those of its body that the schema can't, so that all are
   * reported at once. The body may not fit its schema, and is empty where it is no object. Throws what takes
   * precedence, such as 404. `handle` checks for all of it itself.
   */
  furtherIssues?(
    body: Readonly<Record<string, unknown>>,
    context: Context<ParamsOf<Path>, unknown, unknown, C>,
  ): readonly Issue[];
  handle(context: Context<ParamsOf<Path>, ObjectOf<Q>, Body, C>): NoInfer<R | Promise<R>>;
};

/**
 * A route with its types erased, as the server sees it: the declaration has proven that they fit together.
 */
export type Route = Omit<
  Declaration<string, Members, unknown, HandlerResult, Caller | undefined>,
  'handle' | 'queryIssues'
> & {
  queryIssues?(query: object, context: Pick<AnyContext, 'mediaType' | 'now'>): readonly Issue[];
  handle(
    context: Context<object, object, unknown, Caller | undefined>,
  ): HandlerResult | Promise<HandlerResult>;
};

export function route<
  const Path extends string,
  Q extends Members = Readonly<Record<never, JsonSchema>>,
  Body = undefined,
  R extends HandlerResult = HandlerResult,
  C = Caller,
>(declaration: Declaration<Path, Q, Body, R, C>): Route {
  // checked above; the server gives each part what its own schema accepted
  return declaration as unknown as Route;
}
