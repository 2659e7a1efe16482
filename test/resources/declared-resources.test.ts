// What holds of every declared resource, tried by its own part of the OpenAPI document, its examples and its table:
// customers, products, and those that a team has added. A new one is tested by this file without a line.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { suite, test, type TestContext } from 'node:test';
import { auditHistories } from '../../src/features/events/history-audit-store.ts';
import { features } from '../../src/service/features.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { follow, type Json, type Operation } from '../openapi/openapi-support.ts';
import { assertProblem } from '../support/http-support.ts';
import { importLines, resultsOf } from '../support/import-support.ts';
import { idsIn, newCustomer, newKey, rootToken } from '../support/resource-support.ts';
import {
  declaredNames,
  executable,
  insideOnly,
  serviceFor,
  type Call,
  type TestResponse,
} from '../support/service.ts';

const names = [...declaredNames, 'customers', 'products'].filter((name) =>
  features.some((each) => each.name === name),
);
type Body = TestResponse['body'];

/** A service, and a user who may make objects of the resource, and who owns them if users do. */
async function sceneOf(t: TestContext, name: string) {
  const service = await serviceFor(t, { hasDeclared: true });
  const root = await rootToken(service);
  const { body: document }: { readonly body: Json } = await service.get('/openapi.json');
  const path = `/${name}`;
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  const operation = (method: string, at = path): Operation =>
    paths[at]?.[method] ?? assert.fail(`there is no ${method} ${at}`);
  const [list, create] = [operation('get'), operation('post')];
  const [change, remove] = [operation('patch', `${path}/{id}`), operation('delete', `${path}/{id}`)];
  const listed = follow(document, list.responses['200']?.content?.['application/json']?.schema ?? {});
  const { items } = (listed['properties'] as Record<string, Json>)['data'] as { readonly items: Json };
  const shown = follow(document, items)['properties'] as Record<string, Json>;
  const isStaffs = create['x-access'].callers === 'staff';
  const maker = await service.person(isStaffs ? 'staff' : 'user');
  const [media] = Object.values(create.requestBody?.content ?? {});
  const required = (follow(document, media?.schema ?? {})['required'] ?? []) as string[];
  const [example, patch] = [exampleOf(create), exampleOf(change)];
  const isPatched = (each: string): boolean => each in patch && !required.includes(each);
  const unpatched = Object.fromEntries(Object.entries(example).filter(([each]) => !isPatched(each)));
  const as =
    (token: string) =>
    (method: string, at: string, call: Omit<Call, 'token'> = {}) =>
      service.call(method, at, { ...call, token });
  let count = 0;
  /** Creates an object like the example, without what the example of a PATCH sets, and with other codes where they must differ. */
  async function make(members: object = {}): Promise<Body> {
    const body: Record<string, unknown> = { ...unpatched, ...members };
    count += 1;
    for (;;) {
      const response = await service.post(path, { token: maker.token, body });
      if (response.status === 201) return response.body;
      const taken = response.body.errors?.filter(({ code }: { code: string }) => code === 'taken') ?? [];
      assert.notDeepEqual(taken, [], response.text);
      for (const { pointer } of taken) {
        const member = pointer.slice(2);
        body[member] = another(body[member], count, follow(document, shown[member] ?? {}));
      }
    }
  }
  /** The words of a parameter. */
  const wordsOf = (of: Operation, parameter: string): string[] => {
    const { schema = {} } = of.parameters.find((each) => each.name === parameter) ?? {};
    return (follow(document, schema)['enum'] ?? []) as string[];
  };
  return {
    service,
    document,
    path,
    one: ({ id }: { readonly id: number }): string => `${path}/${id}`,
    list,
    create,
    change,
    remove,
    example,
    patch,
    required,
    sorts: wordsOf(list, 'sort'),
    isImported: wordsOf(operation('post', '/imports'), 'of').includes(name),
    /** What a line of an import calls an object: its schema is named after it. */
    noun: String(items['$ref']).replace(/^.*\//, '').toLowerCase(),
    shown,
    isOwned: 'userId' in shown,
    isStaffs,
    make,
    as,
    maker,
    mine: as(maker.token),
    deleter: as(remove['x-access'].callers === 'admin' ? root : maker.token),
    root,
    admin: as(root),
    db: service.inside?.database.read ?? assert.fail('the suite is skipped otherwise'),
  };
}

function exampleOf({ requestBody }: Operation): object {
  const [media] = Object.values(requestBody?.content ?? {});
  return (media?.example ?? {}) as object;
}

type Event = { readonly type: string; readonly subject: string; readonly changes: object };

function kindsOf(events: readonly Event[]): (string | undefined)[] {
  return events.map(({ type }) => type.split('.')[1]);
}

for (const name of names)
  suite(`the resource ${name}`, { skip: executable !== undefined }, () => {
    test(`${name}: what is created is read, replaced by itself, merged and deleted, each version with its ETag`, async (t) => {
      const { one: pathOf, mine, deleter, make, patch } = await sceneOf(t, name);
      const made = await make();
      const one = pathOf(made);
      const read = await mine('GET', one);
      assert.deepEqual(read.body, made);
      const same = await mine('PUT', one, { body: made });
      assert.deepEqual([same.status, same.headers.etag], [200, read.headers.etag], same.text);
      const changed = await mine('PATCH', one, { body: patch });
      assert.equal(changed.status, 200, changed.text);
      assert.notEqual(changed.headers.etag, read.headers.etag);
      assert.ok(changed.body.updatedAt > made.updatedAt);
      const stale = { headers: { 'if-match': read.headers.etag ?? '' } };
      assertProblem(await mine('PATCH', one, { ...stale, body: {} }), 'precondition-failed', 412);
      assertProblem(await deleter('DELETE', one, stale), 'precondition-failed', 412);
      const cached = { headers: { 'if-none-match': changed.headers.etag ?? '' } };
      assert.equal((await mine('GET', one, cached)).status, 304);
      const current = { headers: { 'if-match': changed.headers.etag ?? '' } };
      assert.equal((await deleter('DELETE', one, current)).status, 204);
      for (const [method, body] of [['GET'], ['PATCH', {}], ['PUT', made], ['DELETE']] as const)
        assertProblem(await (method === 'DELETE' ? deleter : mine)(method, one, { body }), 'not-found');
    });

    test(`${name}: members that the service sets are refused with other values, and all issues come together`, async (t) => {
      const { path, one, required, mine, make } = await sceneOf(t, name);
      const made = await make();
      const past = '2001-01-01T00:00:00Z';
      for (const body of [{ id: made.id + 1 }, { createdAt: past }, { updatedAt: past }])
        assert.equal((await mine('PATCH', one(made), { body })).status, 422, JSON.stringify(body));
      const refused = await mine('POST', path, { body: { unknownMember: 1 } });
      const pointers = refused.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      assert.deepEqual(
        pointers.toSorted(),
        ['unknownMember', ...required].map((each) => `#/${each}`).toSorted(),
      );
      assert.equal((await mine('GET', `${path}?unknown=1`)).status, 422);
    });

    test(`${name}: a POST that is repeated with its Idempotency-Key makes nothing twice`, async (t) => {
      const { path, one, example, mine, deleter, make } = await sceneOf(t, name);
      await make();
      const { id, createdAt, updatedAt, userId, ...body } = await make();
      await deleter('DELETE', one({ id }));
      const sent = { body: { ...example, ...body }, headers: { 'idempotency-key': 'once' } };
      const [first, second] = [await mine('POST', path, sent), await mine('POST', path, sent)];
      assert.deepEqual([first.status, second.status, second.body], [201, 201, first.body], first.text);
      assert.equal(second.headers['idempotency-replayed'], 'true');
      assert.equal((await mine('GET', path)).body.data.length, 2);
    });

    test(`${name}: its list has each object once in every sort, page by page, and as files`, async (t) => {
      const { path, one, sorts, mine, make } = await sceneOf(t, name);
      const ids = [(await make()).id, (await make()).id, (await make()).id];
      assert.notDeepEqual(sorts, []);
      for (const sort of sorts) {
        const found: number[] = [];
        let next: string | null = `${path}?limit=1&sort=${sort}`;
        while (next !== null) {
          const page = await mine('GET', next);
          found.push(...idsIn(page));
          next = page.body.next;
        }
        assert.deepEqual(found.toSorted(), ids, sort);
      }
      assert.equal((await mine('GET', `${path}?total=true&limit=1`)).body.total, 3);
      const lines = await mine('GET', path, { headers: { accept: 'application/x-ndjson' } });
      const read = await mine('GET', one({ id: ids[0] }));
      assert.ok(lines.text.split('\n').includes(read.text), 'a line of NDJSON is the object');
      const table = await mine('GET', path, { headers: { accept: 'text/csv' } });
      assert.equal(table.text.trimEnd().split('\r\n').length, 4, table.text);
    });

    test(`${name}: its files come in again and change nothing, and a key names what it has created`, async (t) => {
      const { service, path, one, noun, isImported, root, admin, make } = await sceneOf(t, name);
      if (!isImported) return t.skip('it is not imported');
      const { id, createdAt, updatedAt, ...sent } = await make();
      await make();
      const before = await admin('GET', path);
      for (const type of ['text/csv', 'application/x-ndjson'])
        for (const query of [`of=${name}&dryRun=true`, `of=${name}`]) {
          const { text: body } = await admin('GET', path, { headers: { accept: type } });
          const { text } = await admin('POST', `/imports?${query}`, {
            body,
            headers: { 'content-type': type },
          });
          assert.deepEqual(
            resultsOf(text).map(({ result }) => result),
            ['unchanged', 'unchanged'],
            text,
          );
        }
      assert.deepEqual((await admin('GET', path)).body, before.body);
      await admin('DELETE', one({ id }));
      const imported = async (key: string, object: object) =>
        (await importLines(service, root, [{ key, [noun]: object }]))[0];
      const [first, second] = [await imported('once', sent), await imported('once', sent)];
      assert.deepEqual([first?.status, second?.id, second?.result], [201, first?.id, 'unchanged']);
      assert.equal((await admin('GET', `${path}/${first?.id}/events`)).body.data.length, 1);
      const refused = await imported('twice', { ...sent, unknownMember: 1 });
      assert.equal(refused?.errors?.[0]?.code, 'unknown-member');
    });

    test(`${name}: each parameter of its list changes the answer`, async (t) => {
      const { document, path, list, admin, make } = await sceneOf(t, name);
      const made = await make();
      for (const { name: filter, in: place, schema } of list.parameters) {
        if (place !== 'query' || ['q', 'sort', 'limit', 'cursor', 'total'].includes(filter)) continue;
        const idsWith = async (value: unknown): Promise<number[]> => {
          const found = await admin('GET', `${path}?${filter}=${encodeURIComponent(String(value))}`);
          assert.equal(found.status, 200, found.text);
          return idsIn(found);
        };
        const found = await Promise.all(othersThan(made[filter], follow(document, schema)).map(idsWith));
        assert.ok(!found.every((ids) => ids.includes(made.id)), `${filter} keeps everything`);
        if (!Object.hasOwn(made, filter) || typeof made[filter] === 'object') continue;
        const isEmail = follow(document, schema)['format'] === 'idn-email'; // compared without case
        const own = isEmail ? made[filter].toUpperCase() : made[filter];
        assert.deepEqual(await idsWith(own), [made.id], `${filter} finds its own value`);
      }
    });

    test(`${name}: each change leaves its event, in the history and in the feed of whoever may see the object`, async (t) => {
      const { one: pathOf, patch, mine, deleter, admin, make } = await sceneOf(t, name);
      const one = pathOf(await make());
      await mine('PATCH', one, { body: patch });
      await mine('PATCH', one, { body: patch }); // changes nothing
      assert.deepEqual(kindsOf((await mine('GET', `${one}/events`)).body.data), ['changed', 'created']);
      await deleter('DELETE', one);
      for (const reader of [mine, admin]) {
        const feed = await reader('GET', '/events?from=oldest&limit=200');
        const own = feed.body.data.filter(({ subject }: Event) => subject === one);
        assert.deepEqual(kindsOf(own), ['created', 'changed', 'deleted']);
        const filtered = await reader('GET', `/events?type=${own[0].type}`);
        assert.ok(filtered.body.data.some(({ subject }: Event) => subject === one));
      }
    });

    test(`${name}: strangers, other users and keys do what the document says, and no more`, async (t) => {
      const scene = await sceneOf(t, name);
      const { service, path, list, create, change, remove, example, patch } = scene;
      const { isOwned, isStaffs, maker, admin } = scene;
      const one = scene.one(await scene.make());
      const other = scene.as((await service.person('user')).token);
      const staff = scene.as((await service.person('staff')).token);
      const statusOf = async (response: Promise<TestResponse>): Promise<number> => (await response).status;
      assert.equal((await service.get(path)).status, 401);
      assert.equal((await service.post(path, { body: {} })).status, 401);
      const reads = list['x-access'].callers === 'staff' ? 403 : 200;
      assert.equal(await statusOf(other('GET', path)), reads);
      assert.equal(await statusOf(other('GET', one)), isOwned ? 403 : reads);
      for (const foreign of isOwned ? [path, `${path}?userId=${maker.id}`] : [])
        assert.deepEqual(idsIn(await other('GET', foreign)), []);
      if (isStaffs) assertProblem(await other('POST', path, { body: example }), 'forbidden');
      const feed = await other('GET', '/events?from=oldest');
      assert.ok(!feed.body.data.some(({ subject }: Event) => subject === one));
      if (isOwned || change['x-access'].callers === 'staff') {
        assert.equal(await statusOf(other('PATCH', one, { body: patch })), 403);
        assert.equal(await statusOf(other('DELETE', one)), 403);
      }
      if (remove['x-access'].callers === 'admin') assert.equal(await statusOf(staff('DELETE', one)), 403);
      for (const reader of [staff, admin]) {
        assert.equal(await statusOf(reader('GET', one)), 200);
        assert.equal(await statusOf(reader('PATCH', one, { body: {} })), 200);
      }
      const scopes = [list, create].map((each) => each['x-access'].scope);
      assert.deepEqual(scopes, [`${name}:read`, `${name}:write`]);
      const keyWith = async (scope: string | null) => {
        const { key }: { readonly key: string } = await newKey(service, maker.token, { scopes: [scope] });
        return { key };
      };
      const [reader, writer] = [await keyWith(scopes[0] ?? null), await keyWith(scopes[1] ?? null)];
      assert.equal((await service.get(path, reader)).status, 200);
      assertProblem(await service.patch(one, { ...reader, body: {} }), 'insufficient-scope');
      assert.equal((await service.patch(one, { ...writer, body: {} })).status, 200);
      assertProblem(await service.get(path, writer), 'insufficient-scope');
    });

    test(`${name}: staff give it to a user who exists, and both owners see that`, async (t) => {
      const scene = await sceneOf(t, name);
      const { service, path, example, isOwned, mine, maker, admin } = scene;
      if (!isOwned) return t.skip('its objects have no owner');
      const made = await scene.make();
      const one = scene.one(made);
      const { id: userId, token } = await service.person('user');
      const heirs = scene.as(token);
      const forHeir = { body: { ...example, userId } };
      assertProblem(await mine('POST', path, forHeir), 'forbidden');
      assert.equal((await admin('POST', path, forHeir)).body.userId, userId);
      for (const [method, members] of [
        ['PATCH', {}],
        ['PUT', made],
      ] as const) {
        assertProblem(await mine(method, one, { body: { ...members, userId } }), 'forbidden');
        assertOwnerIssue(await admin(method, one, { body: { ...members, userId: 4711 } }));
      }
      assertOwnerIssue(await admin('PATCH', one, { body: { userId: null } }));
      const { updatedAt: _same, userId: _owner, ...kept } = made;
      for (const body of [{ ...kept, userId: null }, kept])
        assert.equal((await mine('PUT', one, { body })).body.userId, maker.id);
      assert.equal((await admin('PATCH', one, { body: { userId } })).body.userId, userId);
      assertProblem(await mine('GET', one), 'forbidden');
      assert.equal((await heirs('GET', one)).status, 200);
      for (const reader of [mine, heirs]) {
        const { data } = (await reader('GET', '/events?from=oldest')).body;
        const given: Event[] = data.filter(({ type }: Event) => type.endsWith('.changed'));
        assert.deepEqual(
          given.map(({ changes }) => changes),
          [{ userId: null }],
        );
      }
    });

    test(`${name}: the deletion of its owner leaves nothing of the owner behind`, async (t) => {
      const scene = await sceneOf(t, name);
      const { service, path, isOwned, maker, admin, db } = scene;
      if (!isOwned) return t.skip('its objects have no owner');
      const { id } = await scene.make();
      const one = scene.one({ id });
      assert.equal((await admin('DELETE', `/api/users/${maker.id}`)).status, 204);
      assert.equal((await admin('GET', one)).body.userId, null);
      assert.deepEqual(idsIn(await admin('GET', `${path}?userId=${maker.id}`)), []);
      await service.inside?.cleanup.run();
      assert.deepEqual(db.get(`SELECT userId FROM ${name} WHERE id = ?`, id), [null]);
      const put = await admin('PUT', one, { body: (await admin('GET', one)).body });
      assert.deepEqual([put.status, put.body.userId], [200, null], put.text);
      const heir = await service.person('user');
      const taken = { body: { userId: heir.id } };
      assertProblem(await scene.as(heir.token)('PATCH', one, taken), 'forbidden');
      assert.equal((await admin('PATCH', one, taken)).body.userId, heir.id);
    });

    test(`${name}: a customer it refers to can be deleted or is in use, and is erased in it`, async (t) => {
      const scene = await sceneOf(t, name);
      const { service, document, path, one, example, shown, isOwned, maker, mine, admin, db } = scene;
      if (!('customerId' in shown)) return t.skip('it refers to none');
      const { id: customerId } = await newCustomer(service, maker.token);
      const { id: foreign } = await newCustomer(service, (await service.person('user')).token);
      for (const sent of isOwned ? [customerId + 1_000, foreign] : [customerId + 1_000]) {
        const { body } = await mine('POST', path, { body: { ...example, customerId: sent } });
        assert.equal(body.errors?.[0].pointer, '#/customerId');
      }
      const { customerTables: [{ personal = [] } = {}] = [] } =
        features.find((each) => each.name === name)?.declares ?? {};
      const texts = personal.filter((each) => isFreeText(document, shown[each] ?? {}));
      const members: Record<string, unknown> = Object.fromEntries(texts.map((each) => [each, 'Qzorvath']));
      if ('metadata' in shown) members['metadata'] = { receipt: 'Qzorvath' };
      const erased = await newCustomer(service, maker.token);
      const made = await scene.make({ customerId: erased.id, ...members });
      assert.equal((await admin('PUT', `/customers/${erased.id}/erasure`)).status, 204);
      const now = (await mine('GET', one(made))).body;
      for (const each of personal) {
        assert.deepEqual(now[each], each === 'metadata' ? {} : null, each);
        assert.doesNotMatch(JSON.stringify(db.all(`SELECT ${each} FROM ${name}`)), /Qzorvath/);
      }
      if ('metadata' in shown)
        assert.deepEqual(idsIn(await admin('GET', `${path}?metadata=receipt=Qzorvath`)), []);
      const kept = await scene.make({ customerId });
      const gone = await admin('DELETE', `/customers/${customerId}`);
      if (gone.status !== 204) return assertProblem(gone, 'in-use', 409);
      assert.equal((await mine('GET', one(kept))).body.customerId, null);
    });

    test(`${name}: each sort, owner and reference has an index, and check reads its rows and their events`, async (t) => {
      const { sorts, isOwned, one, deleter, make, db } = await sceneOf(t, name);
      const firstsOf = (sql: string): string[] => db.all<[string]>(sql).map(([first]) => first);
      const indexes = firstsOf(`SELECT name FROM pragma_index_list('${name}')`).map((index) =>
        firstsOf(`SELECT name FROM pragma_index_info('${index}') ORDER BY seqno`).join(', '),
      );
      /** Whether an index begins with these columns, of which the sort's may be a key. */
      const isIndexed = (before: string, sort: string): boolean =>
        [`${sort}, id`, `${sort}Key, id`, ...(sort === 'id' ? ['id'] : [])].some((columns) =>
          indexes.some((each) => `${each}, `.startsWith(`${before}${columns}, `)),
        );
      const mayBeNull = firstsOf(`SELECT name FROM pragma_table_info('${name}') WHERE "notnull" = 0`);
      for (const sort of sorts.filter((each) => !each.startsWith('-') && each !== 'id')) {
        assert.ok(isIndexed('', sort), `the sort ${sort} has no index of ${sort}, id`);
        const loses = [sort, `${sort}Key`].some((each) => mayBeNull.includes(each));
        assert.ok(!loses, `the list by ${sort} loses rows where its column is NULL`);
      }
      for (const column of firstsOf(`SELECT "from" FROM pragma_foreign_key_list('${name}')`))
        assert.ok(
          indexes.some((each) => `${each},`.startsWith(`${column},`)),
          `no index begins with ${column}`,
        );
      const [sort = ''] = sorts;
      assert.ok(!isOwned || isIndexed('userId, ', sort), `no index of userId, ${sort}, id`);
      const kept = await features.find((each) => each.name === name)?.maintenance?.();
      assert.deepEqual(
        [kept?.audits, kept?.histories].map((all) => all?.map(({ table }) => table)),
        [[name], [name]],
      );
      const { id } = await make();
      await make();
      await deleter('DELETE', one({ id }));
      const found: string[] = [];
      const listeners = { report: (issue: string) => found.push(issue), progress: () => {} };
      const counts = kept?.histories?.map((history) => auditHistories(db, history, listeners));
      assert.deepEqual([counts, found], [[1], []]);
    });
  });

test('a UNIQUE that the declaration doesn’t know stops the start', insideOnly, async (t) => {
  const { folder, stop } = await serviceFor(t);
  await stop();
  using db = new DatabaseSync(databaseFile(folder));
  db.exec('CREATE UNIQUE INDEX another ON products (currency)');
  await assert.rejects(serviceFor(t, { folder }), /products: UNIQUE \(currency\) is not in "unique"/);
});

function assertOwnerIssue({ status, body, text }: TestResponse): void {
  assert.deepEqual([status, body.errors?.[0].pointer], [422, '#/userId'], text);
}

/** Returns a value like this one that fits the schema, too. */
function another(own: unknown, count: number, schema: Json): unknown {
  if (typeof own === 'number') return own + count;
  const text = String(own);
  const texts = [`${text}${count}`, `${count}${text}`, text.slice(0, -String(count).length) + count];
  return texts.find((each) => fitsText(each, schema)) ?? assert.fail(`no text like ${text} fits its schema`);
}

/** Values of a filter that an object with this value doesn't have, or at least one of which it doesn't pass. */
function othersThan(own: unknown, schema: Json): unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum'].filter((each) => each !== own);
  if (schema['type'] === 'boolean') return [!(own ?? true)];
  if (schema['type'] === 'integer') return [Number(own) + 1_000];
  if (schema['format'] === 'idn-email') return ['nobody@example.com'];
  if (schema['format'] === 'date-time') return ['1971-01-01T00:00:00Z', '2999-01-01T00:00:00Z'];
  if (typeof own === 'string' && /^[A-Z]{3}$/.test(own)) return [own === 'CHF' ? 'EUR' : 'CHF'];
  return ['none=Qzorvath'];
}

function isFreeText(document: Json, schema: Json): boolean {
  const [first = {}] = (schema['anyOf'] as Json[] | undefined) ?? [schema];
  const { type, enum: words, format, ...others } = follow(document, first);
  const isText = [type].flat().includes('string') && words === undefined && format === undefined;
  return isText && fitsText('Qzorvath', others);
}

function fitsText(text: string, { pattern = '', maxLength = text.length }: Json): boolean {
  return text.length <= Number(maxLength) && new RegExp(String(pattern), 'u').test(text);
}
