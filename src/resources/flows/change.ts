// How one object is replaced, patched or removed: the order of steps, which no route can leave out.
import assert from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import type { Caller, RowAccess } from '../../auth/access.ts';
import type { Representation } from '../../http/representation.ts';
import { emptyRepresentation, type Context } from '../../http/route.ts';
import type { SecurityEvent } from '../../security-event.ts';
import type { Permit } from '../../storage/permit.ts';
import { requireVisible, type Rows, type Visible } from './visible.ts';

/** Rows, who may change which of them, and how one is shown. */
export type Resource<Row, Shown> = Rows<Row> & {
  readonly accessOf: (caller: Caller) => RowAccess;
  readonly represent: (row: Row) => Representation<Shown>;
};

type ObjectContext = Context<{ readonly id: number }, unknown, unknown, Caller>;

/** `Wanted` has the members that may change, with their new values. */
export type Change<Row, Wanted> = {
  /** The body merged into the current object. Throws if the result is invalid. */
  readonly merge: (current: Row, caller: Caller) => Wanted;
  /** Throws if the current state does not allow the change. */
  readonly check?: (current: Row, wanted: Wanted, caller: Caller) => void;
  /** Whether something changes that is not shown, such as a password. */
  readonly changesHidden?: boolean;
  readonly write: (permit: Permit<Caller>, current: Visible<Row>, wanted: Wanted) => void;
  readonly events?: (current: Row, wanted: Wanted) => readonly SecurityEvent[];
};

/** If nothing changes, the ETag stays. Security events are reported once the change is on disk. */
export async function changeObject<Row extends object, Shown, Wanted extends Partial<Row>>(
  context: ObjectContext,
  resource: Resource<Row, Shown>,
  change: Change<Row, Wanted>,
): Promise<Representation<Shown>> {
  const { id } = context.params;
  let events: readonly SecurityEvent[] = [];
  const changed = await context.db.write((writer): Representation<Shown> => {
    const permit = context.authorizeWrite(writer);
    const access = resource.accessOf(permit.caller);
    const current = requireVisible(resource, { db: writer, id, access });
    const before = resource.represent(current);
    const wanted = change.merge(current, permit.caller);
    context.checkPrecondition(before.etag);
    change.check?.(current, wanted, permit.caller);
    if (change.changesHidden !== true && isDeepStrictEqual({ ...current, ...wanted }, current))
      return { ...before, isUnchanged: true };
    change.write(permit, current, wanted);
    events = change.events?.(current, wanted) ?? [];
    const updated = resource.find(writer, id);
    assert(updated !== undefined, `${resource.name} ${id} is gone after its own change`);
    return resource.represent(updated);
  });
  for (const event of events) context.report(event);
  return changed;
}

/** An object that belongs to another one, here its owner, and has the same id. */
type Dependent<Owner, Row, Shown> = Resource<Row, Shown> & {
  /** Throws if this caller may not do this, or the body is invalid. */
  readonly check: (caller: Caller, current: Row | undefined) => void;
  readonly add: (permit: Permit<Caller>, owner: Visible<Owner>) => SecurityEvent;
  readonly replace: (permit: Permit<Caller>, current: Visible<Row>) => void;
};

/** PUT at a path where there may be nothing yet: adds the object (201), or replaces it (200). */
export async function putDependent<Owner, Row, Shown>(
  context: ObjectContext,
  owners: Rows<Owner>,
  dependent: Dependent<Owner, Row, Shown>,
): Promise<Representation<Shown>> {
  const { id } = context.params;
  let event: SecurityEvent | undefined;
  const put = await context.db.write((writer): Representation<Shown> => {
    const permit = context.authorizeWrite(writer);
    const access = dependent.accessOf(permit.caller);
    const owner = requireVisible(owners, { db: writer, id, access });
    const current = dependent.find(writer, id);
    dependent.check(permit.caller, current);
    context.checkPrecondition(current && dependent.represent(current).etag);
    if (current === undefined) event = dependent.add(permit, owner);
    else dependent.replace(permit, requireVisible(dependent, { db: writer, id, access }));
    const made = dependent.represent(requireVisible(dependent, { db: writer, id, access }));
    return current === undefined ? { ...made, isNew: true } : made;
  });
  if (event !== undefined) context.report(event);
  return put;
}

export type Removal<Row> = {
  /** Throws if this caller, who may see the row, may not remove it. */
  readonly check?: (row: Row, caller: Caller) => void;
  readonly remove: (permit: Permit<Caller>, row: Visible<Row>) => void;
  readonly event?: (row: Row) => SecurityEvent;
};

export async function removeObject<Row, Shown>(
  context: ObjectContext,
  resource: Resource<Row, Shown>,
  { check, remove, event }: Removal<Row>,
): Promise<typeof emptyRepresentation> {
  const { id } = context.params;
  const removalEvent = await context.db.write((writer): SecurityEvent | undefined => {
    const permit = context.authorizeWrite(writer);
    const row = requireVisible(resource, { db: writer, id, access: resource.accessOf(permit.caller) });
    check?.(row, permit.caller);
    context.checkPrecondition(resource.represent(row).etag);
    remove(permit, row);
    return event?.(row);
  });
  if (removalEvent !== undefined) context.report(removalEvent);
  return emptyRepresentation;
}
