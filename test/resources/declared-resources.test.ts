// What holds of every declared resource, tried by its own part of the OpenAPI document, its examples and its table:
// customers, products, and those that a team has added. A new one is tested by this file without a line.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { features } from '../../src/service/features.ts';
import { follow, type Json, type Operation } from '../openapi/openapi-support.ts';
import { assertProblem } from '../support/http-support.ts';
import { importLines, resultsOf } from '../support/import-support.ts';
import { newCustomer, newKey, rootToken } from '../support/resource-support.ts';
import {
  declaredNames,
  executable,
  serviceFor,
  type TestResponse,
  type TestService,
} from '../support/service.ts';

const names = [...declaredNames, 'customers', 'products'].filter((name) =>
  features.some((each) => each.name === name),
);

type Scene = {
  readonly service: TestService;
  readonly path: string;
  readonly operations: Readonly<Record<string, Operation>>;
  readonly ofOne: Readonly<Record<string, Operation>>;
  readonly document: Json;
  /** Who may change everything, and who owns what is made, if users own it. */
  readonly root: string;
  readonly maker: string;
  readonly makerId: number;
  readonly isOwned: boolean;
  /** Creates an object like the example, without what the example of a PATCH sets, and with other codes where they must differ. */
  readonly make: (members?: object) => Promise<TestResponse['body']>;
};

async function sceneOf(t: Parameters<typeof serviceFor>[0], name: string): Promise<Scene> {
  const service = await serviceFor(t, { hasDeclared: true });
  const root = await rootToken(service);
  const { body: document } = await service.get('/openapi.json');
  const path = `/${name}`;
  const { [path]: operations, [`${path}/{id}`]: ofOne } = document.paths;
  const isOwned = 'userId' in propertiesOf(document, operations.get);
  const user = await service.person(operations.post['x-access'].callers === 'staff' ? 'staff' : 'user');
  const required = requiredOf(document, operations.post);
  let count = 0;
  const make = async (members: object = {}): Promise<TestResponse['body']> => {
    const patched = Object.keys(exampleOf(ofOne.patch)).filter((each) => !required.includes(each));
    const example = Object.entries(exampleOf(operations.post)).filter(([each]) => !patched.includes(each));
    const body: Record<string, unknown> = { ...Object.fromEntries(example), ...members };
    count += 1;
    for (;;) {
      const response = await service.post(path, { token: user.token, body });
      if (response.status === 201) return response.body;
      const taken = response.body.errors?.filter(({ code }: { code: string }) => code === 'taken') ?? [];
      assert.notDeepEqual(taken, [], response.text);
      for (const { pointer } of taken) body[pointer.slice(2)] = `${body[pointer.slice(2)]}-${count}`;
    }
  };
  const { token: maker, id: makerId } = user;
  return { service, path, operations, ofOne, document, root, maker, makerId, isOwned, make };
}

/** The members of the elements of a list. */
function propertiesOf(document: Json, { responses }: Operation): Record<string, Json> {
  const list = follow(document, responses['200']?.content?.['application/json']?.schema ?? {});
  const { data } = list['properties'] as Record<string, Json>;
  return follow(document, (data ?? {})['items'] as Json)['properties'] as Record<string, Json>;
}

/** What a line of an import calls an element of the list: its schema is named after it. */
function nounOf(document: Json, list: Json): string {
  const { data } = follow(document, list)['properties'] as Record<string, Json>;
  const { $ref } = (data ?? {})['items'] as Json;
  return String($ref).replace(/^.*\//, '').toLowerCase();
}

function exampleOf({ requestBody }: Operation): object {
  const [media] = Object.values(requestBody?.content ?? {});
  return (media?.example ?? {}) as object;
}

function requiredOf(document: Json, { requestBody }: Operation): string[] {
  const [media] = Object.values(requestBody?.content ?? {});
  return (follow(document, media?.schema ?? {})['required'] ?? []) as string[];
}

const bodyOf = ({ body }: TestResponse): TestResponse['body'] => body;
const idsOf = ({ body }: TestResponse): number[] => body.data.map(({ id }: { readonly id: number }) => id);

for (const name of names)
  suite(`the resource ${name}`, { skip: executable !== undefined }, () => {
    test(`${name}: what is created is read, replaced by itself, merged and deleted, each version with its ETag`, async (t) => {
      const { service, path, ofOne, maker: token, make } = await sceneOf(t, name);
      const made = await make();
      const one = `${path}/${made.id}`;
      const read = await service.get(one, { token });
      assert.deepEqual(read.body, made);
      const same = await service.put(one, { token, body: made });
      assert.deepEqual([same.status, same.headers.etag], [200, read.headers.etag], same.text);
      const changed = await service.patch(one, { token, body: exampleOf(ofOne['patch'] as Operation) });
      assert.equal(changed.status, 200, changed.text);
      assert.notEqual(changed.headers.etag, read.headers.etag);
      assert.ok(changed.body.updatedAt > made.updatedAt);
      const stale = { token, headers: { 'if-match': read.headers.etag ?? '' } };
      assertProblem(await service.patch(one, { ...stale, body: {} }), 'precondition-failed', 412);
      assertProblem(await service.delete(one, stale), 'precondition-failed', 412);
      const cached = { token, headers: { 'if-none-match': changed.headers.etag ?? '' } };
      assert.equal((await service.get(one, cached)).status, 304);
      assert.equal((await service.delete(one, { token })).status, 204);
      for (const [method, body] of [['GET'], ['PATCH', {}], ['PUT', made], ['DELETE']] as const)
        assertProblem(await service.call(method, one, { token, body }), 'not-found');
    });

    test(`${name}: members that the service sets are refused with other values, and all issues come together`, async (t) => {
      const { service, path, operations, document, maker: token, make } = await sceneOf(t, name);
      const { id } = await make();
      for (const other of [
        { id: id + 1 },
        { createdAt: '2001-01-01T00:00:00Z' },
        { updatedAt: '2001-01-01T00:00:00Z' },
      ])
        assert.equal(
          (await service.patch(`${path}/${id}`, { token, body: other })).status,
          422,
          JSON.stringify(other),
        );
      const refused = await service.post(path, { token, body: { unknownMember: 1 } });
      const pointers = refused.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      assert.deepEqual(
        pointers.toSorted(),
        ['unknownMember', ...requiredOf(document, operations['post'] as Operation)]
          .map((each) => `#/${each}`)
          .toSorted(),
      );
      assert.equal((await service.get(`${path}?unknown=1`, { token })).status, 422);
    });

    test(`${name}: a POST that is repeated with its Idempotency-Key makes nothing twice`, async (t) => {
      const { service, path, maker: token, make, operations } = await sceneOf(t, name);
      await make();
      const { id, createdAt, updatedAt, userId, ...body } = await make();
      await service.delete(`${path}/${id}`, { token });
      const sent = {
        token,
        body: { ...exampleOf(operations['post'] as Operation), ...body },
        headers: { 'idempotency-key': 'once' },
      };
      const [first, second] = [await service.post(path, sent), await service.post(path, sent)];
      assert.deepEqual([first.status, second.status, second.body], [201, 201, first.body], first.text);
      assert.equal(second.headers['idempotency-replayed'], 'true');
      assert.equal((await service.get(path, { token })).body.data.length, 2);
    });

    test(`${name}: its list has each object once in every sort, page by page, and as files`, async (t) => {
      const { service, path, operations, document, maker: token, make } = await sceneOf(t, name);
      const ids = [(await make()).id, (await make()).id, (await make()).id];
      const sort = operations['get']?.parameters.find((each) => each.name === 'sort');
      const { enum: sorts = [] } = follow(document, sort?.schema ?? {});
      assert.notDeepEqual(sorts, []);
      for (const each of sorts as string[]) {
        const found: number[] = [];
        let next: string | null = `${path}?limit=1&sort=${each}`;
        while (next !== null) {
          const page = await service.get(next, { token });
          found.push(...idsOf(page));
          next = page.body.next;
        }
        assert.deepEqual(found.toSorted(), ids, each);
      }
      const counted = await service.get(`${path}?total=true&limit=1`, { token });
      assert.equal(counted.body.total, 3);
      const lines = await service.get(path, { token, headers: { accept: 'application/x-ndjson' } });
      const read = await service.get(`${path}/${ids[0]}`, { token });
      assert.ok(lines.text.split('\n').includes(read.text), 'a line of NDJSON is the object');
      const table = await service.get(path, { token, headers: { accept: 'text/csv' } });
      assert.equal(table.text.trimEnd().split('\r\n').length, 4, table.text);
    });

    test(`${name}: its files come in again and change nothing, and a key names what it has created`, async (t) => {
      const { service, path, operations, document, root: token, make } = await sceneOf(t, name);
      const { '/imports': found } = document['paths'] as Record<string, Record<string, Operation>>;
      const parameters = found?.['post']?.parameters ?? [];
      const { enum: imported } = follow(
        document,
        parameters.find((each) => each.name === 'of')?.schema ?? {},
      );
      if (!(imported as string[]).includes(name)) return t.skip('it is not imported');
      const { id, createdAt, updatedAt, ...sent } = await make();
      await make();
      const before = await service.get(path, { token });
      for (const type of ['text/csv', 'application/x-ndjson'])
        for (const query of [`of=${name}&dryRun=true`, `of=${name}`]) {
          const { text } = await service.get(path, { token, headers: { accept: type } });
          const call = { token, body: text, headers: { 'content-type': type } };
          const results = resultsOf((await service.post(`/imports?${query}`, call)).text);
          assert.deepEqual(
            results.map((each) => each.result),
            ['unchanged', 'unchanged'],
            JSON.stringify(results),
          );
        }
      assert.deepEqual((await service.get(path, { token })).body, before.body);
      await service.delete(`${path}/${id}`, { token });
      const shown = operations['get']?.responses['200']?.content?.['application/json']?.schema ?? {};
      const line = { key: 'once', [nounOf(document, shown)]: sent };
      const [[first], [second]] = [
        await importLines(service, token, [line]),
        await importLines(service, token, [line]),
      ];
      assert.deepEqual([first?.status, second?.id, second?.result], [201, first?.id, 'unchanged']);
      const { body: history } = await service.get(`${path}/${first?.id}/events`, { token });
      assert.equal(history.data.length, 1);
      const unchecked = { key: 'twice', [nounOf(document, shown)]: { ...sent, unknownMember: 1 } };
      const [refused] = await importLines(service, token, [unchecked]);
      assert.equal(refused?.errors?.[0]?.code, 'unknown-member');
    });

    test(`${name}: each parameter of its list changes the answer`, async (t) => {
      const { service, path, operations, document, root, make } = await sceneOf(t, name);
      const made = await make();
      const apart = ['q', 'sort', 'limit', 'cursor', 'total'];
      for (const parameter of operations['get']?.parameters ?? []) {
        const { name: filter, schema } = parameter;
        if (parameter.in !== 'query' || filter === undefined || apart.includes(filter)) continue;
        const others = othersThan(made[filter], follow(document, schema));
        const answers = others.map(async (value) => {
          const response = await service.get(`${path}?${filter}=${encodeURIComponent(String(value))}`, {
            token: root,
          });
          assert.equal(response.status, 200, response.text);
          return idsOf(response).includes(made.id);
        });
        assert.ok((await Promise.all(answers)).includes(false), `${filter} keeps everything`);
        if (Object.hasOwn(made, filter) && typeof made[filter] !== 'object') {
          const own = await service.get(`${path}?${filter}=${encodeURIComponent(String(made[filter]))}`, {
            token: root,
          });
          assert.deepEqual(idsOf(own), [made.id], `${filter} finds its own value`);
        }
      }
    });

    test(`${name}: each change leaves its event, in the history and in the feed of whoever may see the object`, async (t) => {
      const { service, path, ofOne, root, maker: token, make } = await sceneOf(t, name);
      const { id } = await make();
      const one = `${path}/${id}`;
      await service.patch(one, { token, body: exampleOf(ofOne['patch'] as Operation) });
      await service.patch(one, { token, body: exampleOf(ofOne['patch'] as Operation) }); // changes nothing
      const history = bodyOf(await service.get(`${one}/events`, { token })).data;
      const kinds = history.map(({ type }: { type: string }) => type.split('.')[1]);
      assert.deepEqual(kinds, ['changed', 'created']);
      await service.delete(one, { token });
      for (const reader of [token, root]) {
        const feed = await service.get('/events?from=oldest&limit=200', { token: reader });
        const own = feed.body.data.filter(({ subject }: { subject: string }) => subject === one);
        assert.deepEqual(
          own.map(({ type }: { type: string }) => type.split('.')[1]),
          ['created', 'changed', 'deleted'],
        );
        const [{ type }] = own;
        const filtered = await service.get(`/events?type=${type}`, { token: reader });
        assert.ok(filtered.body.data.some(({ subject }: { subject: string }) => subject === one));
      }
    });

    test(`${name}: strangers, other users and keys do what the document says, and no more`, async (t) => {
      const { service, path, operations, ofOne, root, maker, makerId, isOwned, make } = await sceneOf(
        t,
        name,
      );
      const { id } = await make();
      const other = await service.person('user');
      const staff = await service.person('staff');
      const patch = exampleOf(ofOne['patch'] as Operation);
      assert.equal((await service.get(path)).status, 401);
      assert.equal((await service.post(path, { body: {} })).status, 401);
      const reads = operations['get']?.['x-access'].callers === 'staff' ? 403 : 200;
      assert.equal((await service.get(path, { token: other.token })).status, reads);
      assert.equal(
        (await service.get(`${path}/${id}`, { token: other.token })).status,
        isOwned ? 403 : reads,
      );
      for (const list of isOwned ? [path, `${path}?userId=${makerId}`] : [])
        assert.deepEqual(idsOf(await service.get(list, { token: other.token })), []);
      const made = { token: other.token, body: exampleOf(operations['post'] as Operation) };
      const isStaffs = operations['post']?.['x-access'].callers === 'staff';
      if (isStaffs) assertProblem(await service.post(path, made), 'forbidden');
      const feed = await service.get('/events?from=oldest', { token: other.token });
      const foreign = feed.body.data.filter(
        ({ subject }: { subject: string }) => subject === `${path}/${id}`,
      );
      assert.deepEqual(foreign, []);
      const writes = isOwned || ofOne['patch']?.['x-access'].callers === 'staff' ? 403 : 200;
      for (const [method, body] of [
        ['PATCH', patch],
        ['DELETE', undefined],
      ] as const)
        if (writes === 403)
          assert.equal(
            (await service.call(method, `${path}/${id}`, { token: other.token, body })).status,
            403,
          );
      for (const { token } of [staff, { token: root }]) {
        assert.equal((await service.get(`${path}/${id}`, { token })).status, 200);
        assert.equal((await service.patch(`${path}/${id}`, { token, body: {} })).status, 200);
      }
      const scopes = {
        read: operations['get']?.['x-access'].scope,
        write: operations['post']?.['x-access'].scope,
      };
      assert.deepEqual(scopes, { read: `${name}:read`, write: `${name}:write` });
      const reader = await newKey(service, maker, { scopes: [scopes.read] });
      assert.equal((await service.get(path, { key: reader.key })).status, 200);
      assertProblem(
        await service.patch(`${path}/${id}`, { key: reader.key, body: {} }),
        'insufficient-scope',
      );
      const writer = await newKey(service, maker, { scopes: [scopes.write] });
      assert.equal((await service.patch(`${path}/${id}`, { key: writer.key, body: {} })).status, 200);
      assertProblem(await service.get(path, { key: writer.key }), 'insufficient-scope');
    });

    test(`${name}: staff give it to a user who exists, and both owners see that`, async (t) => {
      const {
        service,
        path,
        operations,
        root,
        maker: token,
        makerId,
        isOwned,
        make,
      } = await sceneOf(t, name);
      if (!isOwned) return t.skip('its objects have no owner');
      const made = await make();
      const one = `${path}/${made.id}`;
      const heir = await service.person('user');
      const forHeir = { ...exampleOf(operations['post'] as Operation), userId: heir.id };
      assertProblem(await service.post(path, { token, body: forHeir }), 'forbidden');
      assert.equal((await service.post(path, { token: root, body: forHeir })).body.userId, heir.id);
      for (const method of ['PATCH', 'PUT']) {
        const put = method === 'PUT' ? made : {};
        assertProblem(
          await service.call(method, one, { token, body: { ...put, userId: heir.id } }),
          'forbidden',
        );
        const unknown = await service.call(method, one, { token: root, body: { ...put, userId: 4711 } });
        assert.deepEqual([unknown.status, unknown.body.errors?.[0].pointer], [422, '#/userId'], unknown.text);
      }
      const nobody = await service.patch(one, { token: root, body: { userId: null } });
      assert.deepEqual([nobody.status, nobody.body.errors?.[0].pointer], [422, '#/userId'], nobody.text);
      const { updatedAt: _same, userId: _owner, ...kept } = made;
      assert.equal((await service.put(one, { token, body: { ...kept, userId: null } })).body.userId, makerId);
      assert.equal((await service.put(one, { token, body: kept })).body.userId, makerId);
      assert.equal(
        (await service.patch(one, { token: root, body: { userId: heir.id } })).body.userId,
        heir.id,
      );
      assertProblem(await service.get(one, { token }), 'forbidden');
      assert.equal((await service.get(one, { token: heir.token })).status, 200);
      for (const reader of [token, heir.token]) {
        const feed = await service.get('/events?from=oldest', { token: reader });
        const given = feed.body.data.filter(({ type }: { type: string }) => type.endsWith('.changed'));
        assert.deepEqual(
          given.map(({ changes }: { changes: object }) => Object.keys(changes)),
          [['userId']],
        );
      }
    });

    test(`${name}: the deletion of its owner leaves nothing of the owner behind`, async (t) => {
      const { service, path, root, makerId, isOwned, make } = await sceneOf(t, name);
      if (!isOwned) return t.skip('its objects have no owner');
      const { id } = await make();
      assert.equal((await service.delete(`/api/users/${makerId}`, { token: root })).status, 204);
      assert.equal((await service.get(`${path}/${id}`, { token: root })).body.userId, null);
      assert.deepEqual(idsOf(await service.get(`${path}?userId=${makerId}`, { token: root })), []);
      await service.inside?.app.cleanup.run();
      const put = await service.put(`${path}/${id}`, {
        token: root,
        body: bodyOf(await service.get(`${path}/${id}`, { token: root })),
      });
      assert.deepEqual([put.status, put.body.userId], [200, null], put.text);
      const heir = await service.person('user');
      const taken = { body: { userId: heir.id } };
      assertProblem(await service.patch(`${path}/${id}`, { ...taken, token: heir.token }), 'forbidden');
      const [owner] =
        service.inside?.database.read.get<[number | null]>(`SELECT userId FROM ${name} WHERE id = ?`, id) ??
        [];
      assert.equal(owner, null);
      assert.equal((await service.patch(`${path}/${id}`, { ...taken, token: root })).body.userId, heir.id);
    });

    test(`${name}: a customer it refers to can be deleted or is in use, and is erased in it`, async (t) => {
      const {
        service,
        path,
        operations,
        document,
        root,
        maker: token,
        isOwned,
        make,
      } = await sceneOf(t, name);
      if (!('customerId' in propertiesOf(document, operations['get'] as Operation)))
        return t.skip('it refers to none');
      const { id: customerId } = await newCustomer(service, token);
      const stranger = await service.person('user');
      const { id: foreign } = await newCustomer(service, stranger.token);
      for (const sent of isOwned ? [customerId + 1_000, foreign] : [customerId + 1_000]) {
        const body = { ...exampleOf(operations['post'] as Operation), customerId: sent };
        assert.equal((await service.post(path, { token, body })).body.errors?.[0].pointer, '#/customerId');
      }
      const shown = propertiesOf(document, operations['get'] as Operation);
      const texts = Object.entries(shown).filter(([, schema]) => isFreeText(document, schema));
      const members = {
        ...Object.fromEntries(texts.map(([each]) => [each, 'Qzorvath'])),
        ...('metadata' in shown ? { metadata: { receipt: 'Qzorvath' } } : {}),
      };
      const erased = await newCustomer(service, token);
      const made = await make({ customerId: erased.id, ...members });
      assert.equal((await service.put(`/customers/${erased.id}/erasure`, { token: root })).status, 204);
      const personal =
        features.find((each) => each.name === name)?.declares?.customerTables?.[0]?.personal ?? [];
      const now = (await service.get(`${path}/${made.id}`, { token })).body;
      for (const each of personal) assert.deepEqual(now[each], each === 'metadata' ? {} : null, each);
      const db = service.inside?.database.read;
      for (const column of personal)
        assert.doesNotMatch(JSON.stringify(db?.all(`SELECT ${column} FROM ${name}`)), /Qzorvath/);
      if ('metadata' in shown)
        assert.deepEqual(idsOf(await service.get(`${path}?metadata=receipt=Qzorvath`, { token: root })), []);

      const kept = await make({ customerId });
      const gone = await service.delete(`/customers/${customerId}`, { token: root });
      if (gone.status !== 204) return assertProblem(gone, 'in-use', 409);
      assert.equal((await service.get(`${path}/${kept.id}`, { token })).body.customerId, null);
    });

    test(`${name}: each sort, owner and reference has an index, and check reads its rows and their events`, async (t) => {
      const { service, operations, document, isOwned } = await sceneOf(t, name);
      const db = service.inside?.database.read;
      assert.ok(db !== undefined);
      const indexes = db
        .all<[string]>(`SELECT name FROM pragma_index_list('${name}')`)
        .map(([index]) =>
          db
            .all<[string]>(`SELECT name FROM pragma_index_info('${index}') ORDER BY seqno`)
            .map(([column]) => column),
        );
      const sort = operations['get']?.parameters.find((each) => each.name === 'sort');
      const { enum: sorts = [] } = follow(document, sort?.schema ?? {});
      const columns = (sorts as string[]).filter((each) => !each.startsWith('-') && each !== 'id');
      for (const each of columns)
        assert.ok(
          indexes.some(([first, second]) => (first === each || first === `${each}Key`) && second === 'id'),
          `the sort ${each} has no index of ${each}, id`,
        );
      const mayBeNull = db
        .all<[string]>(`SELECT name FROM pragma_table_info('${name}') WHERE "notnull" = 0`)
        .map(([column]) => column);
      for (const each of columns)
        assert.ok(
          !mayBeNull.includes(each) && !mayBeNull.includes(`${each}Key`),
          `the list by ${each} loses rows where its column is NULL`,
        );
      const references = db
        .all<[string]>(`SELECT "from" FROM pragma_foreign_key_list('${name}')`)
        .map(([column]) => column);
      for (const each of references)
        assert.ok(
          indexes.some(([first]) => first === each),
          `no index begins with ${each}`,
        );
      const [firstSort = ''] = sorts as string[];
      const ofOwner = [firstSort, `${firstSort}Key`].map((each) => `userId, ${each}, id`);
      if (firstSort === 'id') ofOwner.push('userId, id');
      assert.ok(
        !isOwned ||
          indexes.some((each) => ofOwner.some((beginning) => each.join(', ').startsWith(beginning))),
        `no index of userId, ${firstSort}, id`,
      );
      const kept = await features.find((each) => each.name === name)?.maintenance?.();
      assert.deepEqual(
        kept?.audits?.map(({ table }) => table),
        [name],
      );
      assert.deepEqual(
        kept?.histories?.map(({ table }) => table),
        [name],
      );
    });
  });

/** Values of a filter that an object with this value doesn't have, or at least one of which it doesn't pass. */
function othersThan(own: unknown, schema: Json): unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum'].filter((each) => each !== own);
  if (schema['type'] === 'boolean') return [!(own ?? true)];
  if (schema['type'] === 'integer') return [Number(own) + 1_000];
  if (schema['format'] === 'idn-email') return ['nobody@example.com'];
  if (schema['format'] === 'date-time') return ['1971-01-01T00:00:00Z', '2999-01-01T00:00:00Z'];
  if (own !== undefined && typeof own === 'string' && /^[A-Z]{3}$/.test(own))
    return [own === 'CHF' ? 'EUR' : 'CHF'];
  return ['none=Qzorvath'];
}

function isFreeText(document: Json, schema: Json): boolean {
  const {
    type,
    enum: words,
    format,
  } = follow(document, ((schema['anyOf'] as Json[] | undefined) ?? [schema])[0] ?? {});
  return [type].flat().includes('string') && words === undefined && format === undefined;
}
