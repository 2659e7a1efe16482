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

/** For a change without a caller. `proof` names what proves the right to it instead. */
export function permitWithoutCaller(
  writer: Connection,
  _proof: 'the command line' | 'a password' | 'a refresh token' | 'the first start' | 'a failed delivery',
  { actor = null, requestId = null, now = Date.now() }: Partial<Origin> = {},
): Permit<null> {
  return permit(writer, null, { actor, requestId, now });
}

function permit<C>(writer: Connection, caller: C, origin: Origin): Permit<C> {
  return { writer, caller, origin } as Permit<C>; // the brand exists for the compiler alone
}
