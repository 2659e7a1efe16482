// What clients know of the service's data: everything that was answered, and what a request without a
// response may have done.
import { isDeepStrictEqual } from 'node:util';
import type { Thing } from '../support/load-client.ts';

/** The wanted state of each named thing; undefined: it is removed. */
export type Wanted = ReadonlyMap<string, Thing | undefined>;

export type Ledger = {
  /**
   * A response said that a thing has this state, or that it is gone. The name of a thing is chosen by its
   * client and never changes.
   */
  answered(name: string, thing: Thing | undefined): void;
  /** A request was sent; until `close` either everything that it wants has happened, or nothing. */
  sent(wanted: Wanted): Attempt;
  known(name: string): Thing | undefined;
  /** All that are known to have this value in a member. */
  having(member: string, value: unknown): (readonly [name: string, thing: Thing])[];
  /**
   * A sentence for each thing that isn't in an expected state. `found` is everything in the service, and
   * becomes what is known.
   */
  compare(found: readonly (readonly [name: string, thing: Thing])[]): string[];
  readonly size: number;
};

/** `close` it once there is a response, whatever its status. */
export type Attempt = { close(): void };

/** The service sets them, so clients don't know them before a response. */
const setByService = new Set(['id', 'createdAt', 'updatedAt', 'expiresAt', 'prefix']);
const changedByUse = new Set(['lastUsedAt']);

export function createLedger(): Ledger {
  const known = new Map<string, Thing | undefined>();
  const open = new Set<Wanted>();

  function sent(wanted: Wanted): Attempt {
    open.add(wanted);
    return {
      close: () => {
        open.delete(wanted);
      },
    };
  }

  function compare(found: readonly (readonly [string, Thing])[]): string[] {
    const violations: string[] = [];
    const there = new Map<string, Thing>();
    for (const [name, thing] of found) {
      if (there.has(name)) violations.push(`${name} exists twice.`);
      there.set(name, thing);
    }
    const undecided = new Set<string>();
    for (const wanted of open) {
      for (const name of wanted.keys()) undecided.add(name);
      violations.push(...violationOfAttempt(wanted, there));
    }
    for (const [name, thing] of known) {
      if (!undecided.has(name) && !isAs(there.get(name), thing))
        violations.push(`${name} was ${shown(thing)} in a response and is ${shown(there.get(name))}.`);
    }
    for (const [name, thing] of there)
      if (!known.has(name) && !undecided.has(name))
        violations.push(`${name} is ${shown(thing)}, which no request wanted.`);
    known.clear();
    for (const [name, thing] of there) known.set(name, thing);
    open.clear();
    return violations;
  }

  /** Either everything is as wanted, or everything as before. */
  function violationOfAttempt(wanted: Wanted, there: ReadonlyMap<string, Thing>): string[] {
    const names = [...wanted.keys()];
    if (
      names.every((name) => isAs(there.get(name), wanted.get(name))) ||
      names.every((name) => isAs(there.get(name), known.get(name)))
    )
      return [];
    const clauses = names.map((name) => {
      const [was, may, is] = [known, wanted, there].map((things) => shown(things.get(name)));
      return `${name} was ${was}, may be ${may} and is ${is}`;
    });
    return [`Half done: ${clauses.join('; ')}.`];
  }

  return {
    sent,
    compare,
    known: (name) => known.get(name),
    get size() {
      return known.size;
    },
    answered: (name, thing) => {
      known.set(name, thing);
    },
    having: (member, value) =>
      [...known].flatMap(([name, thing]) =>
        thing !== undefined && thing[member] === value ? [[name, thing] as const] : [],
      ),
  };
}

/** Whether all members are as expected; those that the service sets may be unexpected. */
function isAs(found: Thing | undefined, expected: Thing | undefined): boolean {
  if (found === undefined || expected === undefined) return found === expected;
  const names = new Set([
    ...Object.keys(expected),
    ...Object.keys(found).filter((name) => !setByService.has(name)),
  ]);
  return [...names].every((name) => changedByUse.has(name) || isDeepStrictEqual(found[name], expected[name]));
}

function shown(thing: Thing | undefined): string {
  return thing === undefined ? 'absent' : JSON.stringify(thing).slice(0, 400);
}
