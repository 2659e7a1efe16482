// The routes of a declared resource: its list and its file, and to create, read, replace, change and delete one.
import { adminOnly, isStaff, signedIn, staffOnly, type Caller } from '../auth/access.ts';
import { historyRoute } from '../features/events/history-route.ts';
import { exportDescription } from '../http/lists/export.ts';
import { listParameters, pageOrFileIssues, type Lists } from '../http/lists/list.ts';
import { representationsOf, type RepresentationCache } from '../http/responses/representation-cache.ts';
import { representRow, type Representation } from '../http/responses/representation.ts';
import { empty, exportable } from '../http/routing/reply.ts';
import { route, type Call, type Route } from '../http/routing/route.ts';
import { forbidden, throwIfInvalid, type ProblemCode } from '../problem.ts';
import type { Schema } from '../schema/schema.ts';
import { changesNothing, ownerIdOf, requireOwned, requireVisible } from '../storage/object-access.ts';
import type { Permit } from '../storage/permit.ts';
import type { Resource, ResourceMembers, Shown as ShownOf } from './declared-resource.ts';
import { userIssues } from './owner-store.ts';

type RoutesOptions<M extends ResourceMembers> = {
  readonly lists: Lists;
  /** Where representations are kept until `onWrite` invalidates them; without it they are made of rows each time. */
  readonly cache?: RepresentationCache<ShownOf<M>>;
  /** Whether histories of single objects are read. */
  readonly hasHistory: boolean;
};

/** The routes name no member of a body. */
type Bodies = Readonly<Record<'Shown' | 'New' | 'Replacement' | 'Patch', Schema<object>>>;

export function resourceRoutes<M extends ResourceMembers>(
  resource: Resource<M>,
  { lists, cache, hasHistory }: RoutesOptions<M>,
): Route[] {
  const { name, plural, tag, source, isOwned } = resource;
  const { Shown, New, Replacement, Patch }: Bodies = resource;
  const problems: readonly ProblemCode[] = isOwned ? ['forbidden'] : [];
  const reading = {
    tag,
    access: resource.readers === 'staff' ? staffOnly : signedIn,
    scope: `${plural}:read`,
  } as const;
  const writing = {
    tag,
    access: resource.writers === 'staff' ? staffOnly : signedIn,
    scope: `${plural}:write`,
  } as const;
  const one = { path: `/${plural}/{id}`, reply: { kind: 'object', schema: Shown } } as const;
  const representations = representationsOf(source, representRow, cache);
  const file = { name: plural, table: resource.csv, source };

  const list = route({
    ...reading,
    method: 'GET',
    path: `/${plural}`,
    summary: `List ${plural}`,
    description: isOwned ? `Lists one’s own; staff see all.\n\n${exportDescription}` : exportDescription,
    query: { ...resource.query, ...listParameters },
    reply: { kind: 'list', schema: Shown, mediaTypes: exportable },
    problems: ['unavailable'],
    queryIssues: pageOrFileIssues,
    handle(call) {
      const query: Readonly<Record<string, unknown>> = call.query;
      const selectionFor = (caller: Caller) => resource.selectionOrSearch(source.accessOf(caller), query);
      return lists.pageOrFile(call, { selectionFor, elements: representations, file });
    },
  });
  const create = route({
    ...writing,
    method: 'POST',
    path: `/${plural}`,
    summary: `Create a ${name}`,
    countsAsChange: true,
    acceptsIdempotencyKey: true,
    findOwnerId: (db, id) => representations.find(db, id)?.ownerId,
    body: New,
    reply: { kind: 'object', schema: Shown, location: ({ id }) => `/${plural}/${id}` },
    problems,
    handle(call) {
      const content = resource.read(call.body);
      return call.write((permit) => {
        const owner = isOwned ? { userId: ownerFor(permit, call.body) } : {};
        throwIfInvalid(resource.storedIssues(permit, content, {}));
        return representRow(resource.add(permit, { ...content, ...owner }, permit.origin.now));
      });
    },
  });
  const read = route({
    ...reading,
    ...one,
    method: 'GET',
    summary: `Read a ${name}`,
    problems,
    handle: (call) => requireVisible(representations, call, call.params.id),
  });
  const put = route({
    ...writing,
    ...one,
    method: 'PUT',
    summary: `Replace a ${name}`,
    body: Replacement,
    problems,
    handle: (call) => change(call, 'PUT'),
  });
  const patch = route({
    ...writing,
    ...one,
    method: 'PATCH',
    summary: `Change a ${name}`,
    body: Patch,
    problems,
    handle: (call) => change(call, 'PATCH'),
  });
  const remove = route({
    ...writing,
    ...one,
    access: resource.deleters === 'administrators' ? adminOnly : writing.access,
    method: 'DELETE',
    summary: `Delete a ${name}`,
    reply: { kind: 'none' },
    problems: [...(resource.deletion?.problems ?? []), 'in-use', ...problems],
    handle: (call) =>
      call.write((permit) => {
        const current = requireOwned(source, permit, call.params.id);
        call.checkPrecondition(() => representRow(current).etag);
        resource.remove(permit, current);
        return empty;
      }),
  });
  const history = historyRoute({
    path: `/${plural}/{id}/events`,
    summary: `List what happened to a ${name}`,
    topic: resource.topic,
    access: isOwned ? signedIn : staffOnly, // as the feed has it: users see what concerns their own objects
    source,
    lists,
  });

  /** Returns the owner of a new row: the caller, or the user whom staff name. */
  function ownerFor({ writer, caller }: Permit<Caller>, { userId }: { readonly userId?: unknown }): number {
    if (typeof userId !== 'number' || userId === caller.userId) return caller.userId;
    if (!isStaff(caller)) throw forbidden(`Only staff may create a ${name} for another user.`);
    throwIfInvalid(userIssues(writer, userId));
    return userId;
  }

  function change(
    call: Call<{ readonly id: number }, object, object, Caller>,
    method: 'PUT' | 'PATCH',
  ): Promise<Representation<object>> {
    return call.write((permit) => {
      const current = requireOwned(source, permit, call.params.id);
      call.checkPrecondition(() => representRow(current).etag);
      const newOwnerId = ownerIdOf(call.body);
      const isGiven = newOwnerId !== null && newOwnerId !== ownerIdOf(current);
      const mayGive = isStaff(permit.caller);
      const ownerIssues = isGiven && mayGive ? userIssues(permit.writer, newOwnerId) : [];
      const wanted = resource.merge(current, call.body, { method, ownerIssues });
      if (isGiven && !mayGive) throw forbidden(`Only staff may give a ${name} to another user.`);
      throwIfInvalid(resource.storedIssues(permit, wanted, current));
      if (changesNothing<object>(current, wanted)) return representRow(current);
      return representRow(resource.replace(permit, current, wanted));
    });
  }

  return [list, create, read, put, patch, remove, ...(hasHistory ? [history] : [])];
}
