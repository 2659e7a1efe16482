// The proof that a change is allowed, created inside the write that uses it.
import type { Connection } from './connection.ts';

declare const proven: unique symbol;

/** The caller, request and time of a change, which its event shows. */
type Origin = {
  /** Null for changes by the command line, by the service itself, or before anybody is signed in. */
  readonly actor: { readonly userId: number; readonly keyId: number | null } | null;
  readonly requestId: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/**
 * A running write, and the caller whose rights were read inside it. The functions that make the
 * changes of requests require a permit instead of a connection, so that nobody forgets the check. (The cleanup, deliveries and stored responses need no rights, and mostly use connections.)
 */
export type Permit<C = unknown> = {
  readonly writer: Connection;
  readonly caller: C;
  readonly origin: Origin;
  readonly [proven]: true;
};

// Each of these functions makes a permit, and names the proof of the right to the change.

/** The proof is the caller, whose rights were read and checked inside this write. */
export function callerPermit<C>(writer: Connection, caller: C, origin: Origin): Permit<C> {
  return permit(writer, caller, origin);
}

/** In place of a caller: the rows that may be changed. */
type Proof<Access> = { readonly access: Access };

/** The proof is the command line: an account that may write the database's files may make any change. */
export function commandPermit(writer: Connection): Permit<Proof<'all'>> {
  return permit(writer, { access: 'all' }, { actor: null, requestId: null, now: Date.now() });
}

/** The proof is that the service itself makes the change: no client has asked for it. */
export function servicePermit(writer: Connection, now: number): Permit<null> {
  return permit(writer, null, { actor: null, requestId: null, now });
}

/** The proof is a password, which was verified for the actor. */
export function signInPermit(writer: Connection, origin: Origin): Permit<null> {
  return permit(writer, null, origin);
}

/** The proof is a refresh token. A token used twice has no actor, since nobody knows who sent it. */
export function renewalPermit(
  writer: Connection,
  userId: number,
  origin: Origin,
): Permit<Proof<{ readonly userId: number }>> {
  return permit(writer, { access: { userId } }, origin);
}

function permit<C>(writer: Connection, caller: C, origin: Origin): Permit<C> {
  return { writer, caller, origin } as Permit<C>; // the brand exists for the compiler alone
}
