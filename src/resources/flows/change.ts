// How one object is replaced, patched or removed: the order of steps, which no route can leave out.
import assert from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import type { Caller, RowAccess } from '../../auth/access.ts';
import type { Representation } from '../../http/representation.ts';
import { emptyRepresentation, type Context } from '../../http/route.ts';
import { throwIfInvalid } from '../../problem.ts';
import type { Issue } from '../../schema/schema.ts';
import type { SecurityEvent } from '../../security-event.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';
import { requireVisible, type ObjectSource, type Visible } from './visible.ts';

/** Rows, who may change which of them, and how one is shown. */
export type Resource<Row, Shown> = ObjectSource<Row> & {
  readonly accessOf: (caller: Caller) => RowAccess;
  readonly represent: (row: Row) => Representation<Shown>;
};

type ObjectContext = Context<{ readonly id: number }, unknown, unknown, Caller>;
type Body = Readonly<Record<string, unknown>>;
type Checked = { readonly db: Connection; readonly caller: Caller; readonly now: number };

/** Rows that are changed by bodies of one kind. */
export type Changeable<Row, Shown> = Resource<Row, Shown> & {
  /**
   * What is invalid of a body as a change of the current object. Reads only members that fit: the body may
   * have issues that its schema has found.
   */
  readonly issuesOf: (current: Row, body: Body, request: Checked) => readonly Issue[];
};

/**
 * `furtherIssues` of a route that changes such a row. A row that isn't there or isn't the caller's takes
 * precedence over the issues of the body.
 */
export function changeIssues<Row, Shown>(resource: Changeable<Row, Shown>) {
  return (body: Body, { params, caller, db: { read: db }, now }: ObjectContext): readonly Issue[] => {
    const current = requireVisible(resource, { db, id: params.id, access: resource.accessOf(caller) });
    return resource.issuesOf(current, body, { db, caller, now });
  };
}

/** `Wanted` has the members that may change, with their new values. */
type Change<Row, Wanted> = {
  /** The body merged into the current object. Throws if the caller may not change it so. */
  readonly merge: (current: Row, caller: Caller) => Wanted;
  /** Throws if the current state does not allow the change. */
  readonly check?: (current: Row, wanted: Wanted, caller: Caller) => void;
  /** Whether something changes that is not shown, such as a password. */
  readonly changesHidden?: boolean;
  readonly write: (permit: Permit<Caller>, current: Visible<Row>, wanted: Wanted) => void;
  readonly securityEvents?: (current: Row, wanted: Wanted) => readonly SecurityEvent[];
};

/** If nothing changes, the ETag stays. Security events are reported once the change is on disk. */
export async function changeObject<Row extends object, Shown, Wanted extends Partial<Row>>(
  context: ObjectContext & { readonly body: object },
  resource: Changeable<Row, Shown>,
  change: Change<Row, Wanted>,
): Promise<Representation<Shown>> {
  const { body, params, now } = context;
  const { id } = params;
  let securityEvents: readonly SecurityEvent[] = [];
  const changed = await context.db.write((writer): Representation<Shown> => {
    const permit = context.authorizeWrite(writer);
    const { caller } = permit;
    const current = requireVisible(resource, { db: writer, id, access: resource.accessOf(caller) });
    const before = resource.represent(current);
    throwIfInvalid(resource.issuesOf(current, { ...body }, { db: writer, caller, now }));
    const wanted = change.merge(current, caller);
    context.checkPrecondition(before.etag);
    change.check?.(current, wanted, caller);
    if (change.changesHidden !== true && isDeepStrictEqual({ ...current, ...wanted }, current))
      return { ...before, isUnchanged: true };
    change.write(permit, current, wanted);
    securityEvents = change.securityEvents?.(current, wanted) ?? [];
    const updated = resource.find(writer, id);
    assert(updated !== undefined, `${resource.name} ${id} is gone after its own change`);
    return resource.represent(updated);
  });
  for (const event of securityEvents) context.report(event);
  return changed;
}

/** An object that belongs to another one, here its owner, and has the same id. */
type Dependent<Owner, Row, Shown> = Resource<Row, Shown> & {
  /** Throws if this caller may not do this. */
  readonly check: (caller: Caller) => void;
  /** What is invalid of a body; `current` is undefined if there is no object yet. */
  readonly issuesOf: (current: Row | undefined, body: Body, ownerId: number) => readonly Issue[];
  readonly add: (permit: Permit<Caller>, owner: Visible<Owner>) => SecurityEvent;
  readonly replace: (permit: Permit<Caller>, current: Visible<Row>) => void;
};

/** `furtherIssues` of a route that puts such an object. */
export function dependentIssues<Owner, Row>(
  owners: ObjectSource<Owner>,
  { find, accessOf, issuesOf }: Pick<Dependent<Owner, Row, unknown>, 'find' | 'accessOf' | 'issuesOf'>,
) {
  return (body: Body, { params: { id }, caller, db: { read: db } }: ObjectContext): readonly Issue[] => {
    requireVisible(owners, { db, id, access: accessOf(caller) });
    return issuesOf(find(db, id), body, id);
  };
}

/** PUT at a path where there may be nothing yet: adds the object (201), or replaces it (200). */
export async function putDependent<Owner, Row, Shown>(
  context: ObjectContext & { readonly body: object },
  owners: ObjectSource<Owner>,
  dependent: Dependent<Owner, Row, Shown>,
): Promise<Representation<Shown>> {
  const { body, params } = context;
  const { id } = params;
  let securityEvent: SecurityEvent | undefined;
  const put = await context.db.write((writer): Representation<Shown> => {
    const permit = context.authorizeWrite(writer);
    const access = dependent.accessOf(permit.caller);
    const owner = requireVisible(owners, { db: writer, id, access });
    const current = dependent.find(writer, id);
    dependent.check(permit.caller);
    throwIfInvalid(dependent.issuesOf(current, { ...body }, id));
    context.checkPrecondition(current && dependent.represent(current).etag);
    if (current === undefined) securityEvent = dependent.add(permit, owner);
    else dependent.replace(permit, requireVisible(dependent, { db: writer, id, access }));
    const made = dependent.represent(requireVisible(dependent, { db: writer, id, access }));
    return current === undefined ? { ...made, isNew: true } : made;
  });
  if (securityEvent !== undefined) context.report(securityEvent);
  return put;
}

export type Removal<Row> = {
  /** Throws if this caller, who may see the row, may not remove it. */
  readonly check?: (row: Row, caller: Caller) => void;
  readonly remove: (permit: Permit<Caller>, row: Visible<Row>) => void;
  readonly securityEvent?: (row: Row) => SecurityEvent;
};

export async function removeObject<Row, Shown>(
  context: ObjectContext,
  resource: Resource<Row, Shown>,
  { check, remove, securityEvent }: Removal<Row>,
): Promise<typeof emptyRepresentation> {
  const { id } = context.params;
  const event = await context.db.write((writer): SecurityEvent | undefined => {
    const permit = context.authorizeWrite(writer);
    const row = requireVisible(resource, { db: writer, id, access: resource.accessOf(permit.caller) });
    check?.(row, permit.caller);
    context.checkPrecondition(resource.represent(row).etag);
    remove(permit, row);
    return securityEvent?.(row);
  });
  if (event !== undefined) context.report(event);
  return emptyRepresentation;
}
