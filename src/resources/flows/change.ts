// Replaces, patches or removes one object. Each flow has all its steps, so no route can omit one.
import { isDeepStrictEqual } from 'node:util';
import type { Caller, RowAccess } from '../../auth/access.ts';
import { empty, type Change, type Empty } from '../../http/handler-result.ts';
import type { Representation } from '../../http/representation.ts';
import type { Context } from '../../http/route.ts';
import { noSecurityEvents, type SecurityEvent } from '../../security-event.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';
import { readBack, requireVisible, type ObjectSource, type Visible } from './visible.ts';

/** A source of rows, which of them a caller may reach, and how a row is represented. */
export type Resource<Row, Shown> = ObjectSource<Row> & {
  readonly accessOf: (caller: Caller) => RowAccess;
  readonly represent: (row: Row) => Representation<Shown>;
};

type ObjectContext<Body = unknown> = Context<{ readonly id: number }, unknown, Body, Caller>;
/** The context in which a body is merged: a reading or writing connection, and the sender of the body. */
export type CheckContext = { readonly db: Connection; readonly caller: Caller };

/** Rows that a `Body` changes. `Wanted` has the members that may change, with their new values. */
export type Changeable<Row, Shown, Body, Wanted> = Resource<Row, Shown> & {
  /** Merges a body that fits its schema into the current object. Throws all issues of the result. */
  readonly merge: (current: Row, body: Body, context: CheckContext) => Wanted;
};

type ChangeSteps<Row, Wanted> = {
  /** Throws if the caller may not make this change. */
  readonly checkRights?: (current: Row, wanted: Wanted, caller: Caller) => void;
  /** Throws if the current state does not allow the change. */
  readonly checkState?: (current: Row, wanted: Wanted, caller: Caller) => void;
  /** Whether a member changes that is not shown, such as a password. */
  readonly changesHidden?: boolean;
  readonly write: (permit: Permit<Caller>, current: Visible<Row>, wanted: Wanted) => void;
  readonly securityEvents?: (current: Row, wanted: Wanted) => readonly SecurityEvent[];
};

/** The result of a write. Its security events are reported once the change is on disk. */
type Written<Shown> = Change<Shown> & { readonly securityEvents?: readonly SecurityEvent[] };

/** Writes only if something changes, so that otherwise the ETag stays. */
export async function changeObject<Row extends object, Shown, Body, Wanted extends Partial<Row>>(
  context: ObjectContext<Body>,
  resource: Changeable<Row, Shown, Body, Wanted>,
  change: ChangeSteps<Row, Wanted>,
): Promise<Change<Shown>> {
  const { body, params } = context;
  const { id } = params;
  const write = (permit: Permit<Caller>): Written<Shown> => {
    const { caller, writer } = permit;
    const current = requireVisible(resource, { db: writer, id, access: resource.accessOf(caller) });
    const wanted = resource.merge(current, body, { db: writer, caller });
    change.checkRights?.(current, wanted, caller);
    const before = resource.represent(current);
    context.checkPrecondition(before.etag);
    change.checkState?.(current, wanted, caller);
    if (change.changesHidden !== true && isDeepStrictEqual({ ...current, ...wanted }, current))
      return { kind: 'change', effect: 'none', object: before };
    change.write(permit, current, wanted);
    const object = resource.represent(readBack(resource, writer, id));
    const securityEvents = change.securityEvents?.(current, wanted) ?? noSecurityEvents;
    return { kind: 'change', effect: 'changed', object, securityEvents };
  };
  const written = await context.writeResult((writer) => write(context.authorizeWrite(writer)));
  for (const event of written.securityEvents ?? []) context.reportSecurityEvent(event);
  return written;
}

type Removal<Row> = {
  /** Throws if the caller, who may see the row, may not remove it. */
  readonly checkRights?: (row: Row, caller: Caller) => void;
  readonly remove: (permit: Permit<Caller>, row: Visible<Row>) => void;
  readonly securityEvent?: (row: Row) => SecurityEvent;
};

export async function removeObject<Row, Shown>(
  context: ObjectContext,
  resource: Resource<Row, Shown>,
  { checkRights, remove, securityEvent }: Removal<Row>,
): Promise<Empty> {
  const { id } = context.params;
  const event = await context.database.write((writer): SecurityEvent | undefined => {
    const permit = context.authorizeWrite(writer);
    const row = requireVisible(resource, { db: writer, id, access: resource.accessOf(permit.caller) });
    checkRights?.(row, permit.caller);
    context.checkPrecondition(resource.represent(row).etag);
    remove(permit, row);
    return securityEvent?.(row);
  });
  if (event !== undefined) context.reportSecurityEvent(event);
  return empty;
}
