// Proof that a change is allowed, made inside the write that uses it.
import type { Connection } from './connection.ts';

declare const proven: unique symbol;

/** Who requested a change, with which request and when: what the change's event shows. */
type Origin = {
  /** Null if nobody who is signed in did it, such as the command line, or the service by itself. */
  readonly actor: { readonly userId: number; readonly keyId: number | null } | null;
  readonly requestId: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/**
 * A write under way, and the caller whose rights were read inside it. A change that a caller requests takes
 * one instead of a connection, so that forgetting the check doesn't compile.
 */
export type Permit<C = unknown> = {
  readonly writer: Connection;
  readonly caller: C;
  readonly origin: Origin;
  readonly [proven]: true;
};

/** `authorize` returns the caller with the rights that this write sees; throws if they may not do this. */
export function permitFor<C>(
  writer: Connection,
  authorize: (writer: Connection) => C,
  originOf: (caller: C) => Origin,
): Permit<C> {
  const caller = authorize(writer);
  return permit(writer, caller, originOf(caller));
}

// Permits without a caller, each for what proves the right to the change instead.

/** The command line: who may write the database's files may make any change. */
export function commandPermit(writer: Connection): Permit<null> {
  return permit(writer, null, { actor: null, requestId: null, now: Date.now() });
}

/** The first start, whose database has no users yet. */
export function firstStartPermit(writer: Connection, now: number): Permit<null> {
  return permit(writer, null, { actor: null, requestId: null, now });
}

/** A password that was verified for the actor. */
export function signInPermit(writer: Connection, origin: Origin): Permit<null> {
  return permit(writer, null, origin);
}

/** A refresh token; without an actor if it was used twice, so that nobody knows who sends it. */
export function renewalPermit(writer: Connection, origin: Origin): Permit<null> {
  return permit(writer, null, origin);
}

/** Deliveries that have failed for so long that the webhook is disabled. */
export function failedDeliveryPermit(writer: Connection, now: number): Permit<null> {
  return permit(writer, null, { actor: null, requestId: null, now });
}

function permit<C>(writer: Connection, caller: C, origin: Origin): Permit<C> {
  return { writer, caller, origin } as Permit<C>; // the brand exists for the compiler alone
}
