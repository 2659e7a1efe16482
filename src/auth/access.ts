// Who a request acts as, and the rules that say who may call a route.

export const roles = ['user', 'staff', 'admin'] as const;
export type Role = (typeof roles)[number];

export const scopes = [
  'users:read',
  'users:write',
  'customers:read',
  'customers:write',
  'orders:read',
  'orders:write',
] as const;
export type Scope = (typeof scopes)[number];

/**
 * The principal of a request: a user by a session's token, or one of their API keys, narrowed to its scopes.
 */
export type Caller = {
  readonly principal: string;
  readonly userId: number;
  readonly role: Role;
  readonly sessionId: number | null;
  readonly keyId: number | null;
  readonly scopes: ReadonlySet<Scope> | null;
  /** When the user last proved who they are, in seconds since 1970. */
  readonly authTime: number;
};

/** Whose rows a store may touch: required everywhere, so that forgetting it doesn't compile. */
export type Reach = 'everyone' | { readonly userId: number };

/** A rule: its sentence for the documentation, whether a credential is looked at, and the decision. */
export type Access<Params, C> = {
  readonly says: string;
  readonly credentials: 'ignored' | 'optional' | 'required';
  readonly permits: (caller: C, params: Params) => boolean;
};

export const anyone: Access<object, undefined> = {
  says: 'Anyone may call this.',
  credentials: 'ignored',
  permits: () => true,
};
export const signedIn: Access<object, Caller> = {
  says: 'Anyone signed in may call this.',
  credentials: 'required',
  permits: () => true,
};
export const adminOnly: Access<object, Caller> = {
  says: 'Only an administrator may call this.',
  credentials: 'required',
  permits: isAdmin,
};
export const self: Access<{ readonly id: number }, Caller> = {
  says: 'Only that user and an administrator may call this.',
  credentials: 'required',
  permits: (caller, params) => caller.userId === params.id || isAdmin(caller),
};
export const selfOrStaff: Access<{ readonly id: number }, Caller> = {
  says: 'Only that user, staff and an administrator may call this.',
  credentials: 'required',
  permits: (caller, params) => caller.userId === params.id || isStaff(caller),
};

export function isAdmin(caller: Caller): boolean {
  return caller.role === 'admin';
}

/** Staff in the wider sense: administrators are, too. */
export function isStaff(caller: Caller): boolean {
  return caller.role !== 'user';
}

export function reachOf(caller: Caller): Reach {
  return isStaff(caller) ? 'everyone' : { userId: caller.userId };
}

/** Whether what belongs to this user, null for nobody, may be touched. */
export function covers(reach: Reach, ownerId: number | null): boolean {
  return reach === 'everyone' || reach.userId === ownerId;
}
