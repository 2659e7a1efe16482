// What clients may hold the service to: everything that was answered, and what a request without a response
// may have done.
import { isDeepStrictEqual } from 'node:util';
import type { Thing } from './load-client.ts';

/** What each named thing is; undefined: there is none. */
export type Wanted = ReadonlyMap<string, Thing | undefined>;

export type Ledger = {
  /**
   * It was answered that a thing is so, or that it is gone. Each thing has a name that its client chose, and
   * that stays.
   */
  answered(name: string, thing: Thing | undefined): void;
  /** A request was sent; until `close` either all of what it wants is so, or nothing of it. */
  sent(wanted: Wanted): Attempt;
  known(name: string): Thing | undefined;
  /** All that are known to have a member of that value. */
  having(member: string, value: unknown): (readonly [name: string, thing: Thing])[];
  /**
   * A sentence for each thing that isn't as it must be. `found` is everything there is; what it shows becomes
   * known.
   */
  compare(found: readonly (readonly [name: string, thing: Thing])[]): string[];
  readonly size: number;
};

/** `close` when its response came, whatever it was. */
export type Attempt = { close(): void };

/** Set by the service, so that a client can't know them before a response names them. */
const setByService = new Set(['id', 'createdAt', 'updatedAt', 'expiresAt', 'prefix']);
const changesByItself = new Set(['lastUsedAt']);

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
      if (there.has(name)) violations.push(`${name} is there twice.`);
      there.set(name, thing);
    }
    const undecided = new Set<string>();
    for (const wanted of open) {
      for (const name of wanted.keys()) undecided.add(name);
      violations.push(...violationOfAttempt(wanted, there));
    }
    for (const [name, thing] of known) {
      if (!undecided.has(name) && !isAs(there.get(name), thing))
        violations.push(`${name} was answered to be ${shown(thing)} and is ${shown(there.get(name))}.`);
    }
    for (const [name, thing] of there)
      if (!known.has(name) && !undecided.has(name))
        violations.push(`${name} is ${shown(thing)}, which nobody asked for.`);
    known.clear();
    for (const [name, thing] of there) known.set(name, thing);
    open.clear();
    return violations;
  }

  /** Either all is as wanted, or all as before. */
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

/** Whether all is as expected; what only the service can know may be there without being expected. */
export function isAs(found: Thing | undefined, expected: Thing | undefined): boolean {
  if (found === undefined || expected === undefined) return found === expected;
  const names = new Set([
    ...Object.keys(expected),
    ...Object.keys(found).filter((name) => !setByService.has(name)),
  ]);
  return [...names].every(
    (name) => changesByItself.has(name) || isDeepStrictEqual(found[name], expected[name]),
  );
}

function shown(thing: Thing | undefined): string {
  return thing === undefined ? 'absent' : JSON.stringify(thing).slice(0, 400);
}
