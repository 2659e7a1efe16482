// The caller of a request, and the rules that decide who may call a route.
import { forbidden, Problem } from '../problem.ts';

export const stepUpSeconds = 600;

export const roles = ['user', 'staff', 'admin'] as const;
export type Role = (typeof roles)[number];

export const scopes = [
  'users:read',
  'users:write',
  'customers:read',
  'customers:write',
  'orders:read',
  'orders:write',
  'products:read',
  'products:write',
  'events:read',
] as const;
/** A declared resource adds two scopes with its name (`resource/declared-resource.ts`). */
export type Scope = (typeof scopes)[number] | `${string}:read` | `${string}:write`;

/** The user on whose behalf a request acts, by a session or by an API key. */
export type Caller = SessionHolder | KeyHolder;

type CallingUser = {
  readonly principal: string;
  /** The client that requests of this caller count against: the same for all sessions and keys of a user. */
  readonly client: string;
  readonly userId: number;
  readonly role: Role;
  /** When the user last proved who they are, in seconds since 1970; 0 with a key. */
  readonly authTimeSeconds: number;
};
/** A session has all scopes. */
type SessionHolder = CallingUser & {
  readonly sessionId: number;
  readonly keyId: null;
  readonly scopes: null;
};
type KeyHolder = CallingUser & {
  readonly sessionId: null;
  readonly keyId: number;
  readonly scopes: ReadonlySet<Scope>;
};

/** The sender of a request: its caller, if anybody is signed in, and its network. */
export type Requester = { readonly caller: Caller | undefined; readonly network: string };

/** Returns the client that a request counts against: its user, or its network if nobody is signed in. */
export function clientOf({ caller, network }: Requester): string {
  return caller?.client ?? network;
}

/** The rows that a caller may see, by owner. Every list of users' rows takes a row access. */
export type RowAccess = 'all' | { readonly userId: number };

/** Who may call an operation. */
type Callers =
  | 'anyone'
  | 'signed-in'
  | 'staff'
  | 'admin'
  | 'self'
  | 'self-or-staff'
  | 'self-or-admin'
  | 'anyone-or-admin'
  | 'machine-or-admin';

/** An access rule: its word and its sentence for the documentation, how it treats credentials, and its decision. */
export type Access<Params, C> = {
  /** The rule in a word, for programs that read the document (`x-access`). */
  readonly callers: Callers;
  readonly description: string;
  readonly credentials: 'ignored' | 'optional' | 'required';
  readonly permits: (caller: C, params: Params) => boolean;
};

export const anyone: Access<object, undefined> = {
  callers: 'anyone',
  description: 'Anyone may call this.',
  credentials: 'ignored',
  permits: () => true,
};
export const signedIn = accessFor<object>('signed-in', 'Anyone signed in', () => true);
export const staffOnly = accessFor<object>('staff', 'Only staff and an administrator', isStaff);
export const adminOnly = accessFor<object>('admin', 'Only an administrator', isAdmin);
export const self = accessFor<OfUser>('self', 'Only that user', isSelf);
export const selfOrStaff = accessFor<OfUser>(
  'self-or-staff',
  'Only that user, staff and an administrator',
  (caller, params) => isSelf(caller, params) || isStaff(caller),
);
export const selfOrAdmin = accessFor<OfUser>(
  'self-or-admin',
  'Only that user and an administrator',
  (caller, params) => isSelf(caller, params) || isAdmin(caller),
);

/** The parameters of a path that names a user. */
type OfUser = { readonly id: number };

function isSelf({ userId }: Caller, { id }: OfUser): boolean {
  return userId === id;
}

/** A rule that needs a credential. */
function accessFor<Params>(
  callers: Callers,
  who: string,
  permits: Access<Params, Caller>['permits'],
): Access<Params, Caller> {
  return { callers, description: `${who} may call this.`, credentials: 'required', permits };
}

/**
 * A route's requirements on its caller: a rule, and the scope of an API key. Without a scope, keys are
 * rejected.
 */
type Requirements<Params, C> = { readonly access: Access<Params, C>; readonly scope?: Scope | 'any' };

/** Throws unless the rule lets the caller in. `caller` is undefined if the request has no credential. */
export function checkAccess<Params>(
  { access, scope }: Requirements<Params, Caller | undefined>,
  caller: Caller | undefined,
  params: Params,
): void {
  const isMissing = caller === undefined && access.credentials === 'required';
  if (caller !== undefined && scope !== 'any') checkScope(caller, scope);
  if (!isMissing && access.permits(caller, params)) return;
  if (caller !== undefined) throw new Problem('forbidden', access.description);
  throw new Problem('unauthenticated', 'This operation needs an access token or an API key.');
}

/** Returns the user whose objects a request is about: the caller, or the user whom an administrator names. */
export function requireAccountId(
  caller: Caller,
  { userId = caller.userId }: { readonly userId?: number | undefined },
  what: 'API keys' | 'sessions',
): number {
  if (userId === caller.userId || isAdmin(caller)) return userId;
  // also for a missing user, so that nobody learns which users exist
  throw forbidden(`Only an administrator may see or end the ${what} of others.`);
}

/** Whether the caller has the scope; callers without an API key have all scopes. */
export function hasScope({ scopes: held }: Caller, scope: Scope): boolean {
  return held === null || held.has(scope);
}

export function checkScope({ scopes: held }: Caller, scope: Scope | undefined): void {
  if (held === null) return;
  if (scope === undefined)
    throw new Problem('insufficient-scope', 'This operation does not accept API keys; sign in.');
  if (!held.has(scope))
    throw new Problem('insufficient-scope', `The API key lacks the scope ${scope}.`, { scope });
}

/** The requirement of `checkStepUp`, for messages and descriptions. */
export const recentSignIn = `a sign-in within the last ${stepUpSeconds / 60} minutes`;

/**
 * Throws unless the user signed in recently (RFC 9470). An API key never did. `what` begins the message, such
 * as "Deleting a user".
 */
export function checkStepUp(caller: Caller, now: number, what: string): void {
  if (caller.keyId !== null)
    throw new Problem('insufficient-scope', `${what} is not possible with an API key; sign in.`);
  if (now / 1000 - caller.authTimeSeconds <= stepUpSeconds) return;
  throw new Problem('step-up-required', `${what} needs ${recentSignIn}; sign in again.`);
}

export function isAdmin(caller: Caller): boolean {
  return caller.role === 'admin';
}

/** Administrators count as staff. */
export function isStaff(caller: Caller): boolean {
  return caller.role !== 'user';
}

export function rowAccessOf(caller: Caller): RowAccess {
  return isStaff(caller) ? 'all' : { userId: caller.userId };
}

/** Returns the row access to accounts, sessions and keys. Only administrators see all of them. */
export function accountAccessOf(caller: Caller): RowAccess {
  return isAdmin(caller) ? 'all' : { userId: caller.userId };
}

/** Whether the access includes rows of this owner; `ownerId` is null for rows without one. */
export function allows(access: RowAccess, ownerId: number | null): boolean {
  return access === 'all' || access.userId === ownerId;
}
