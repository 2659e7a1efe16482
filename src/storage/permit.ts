// Proof that a change is allowed, made inside the write that uses it.
import type { Connection } from './connection.ts';

declare const proven: unique symbol;

/**
 * A write under way, and the caller whose rights were read inside it. A change that a caller requests takes
 * one instead of a connection, so that forgetting the check doesn't compile.
 */
export type Permit<C = unknown> = {
  readonly writer: Connection;
  readonly caller: C;
  readonly [proven]: true;
};

/** `check` throws unless the caller, as this write reads their rights, may do this; else it returns them. */
export function permitFor<C>(writer: Connection, check: (writer: Connection) => C): Permit<C> {
  return permit(writer, check(writer));
}

/** For a change without a caller. `proof` names what proves the right to it instead. */
export function permitWithoutCaller(
  writer: Connection,
  _proof: 'the command line' | 'a password' | 'a refresh token' | 'the first start',
): Permit<null> {
  return permit(writer, null);
}

function permit<C>(writer: Connection, caller: C): Permit<C> {
  return { writer, caller } as Permit<C>; // the brand exists for the compiler alone
}
