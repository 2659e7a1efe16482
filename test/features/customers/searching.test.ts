// The parameter q of lists: what finds customers, and what can't be combined with it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { executable, serviceFor, type Person } from '../../support/service.ts';
import { beforeQueries } from '../../support/query-interception.ts';
import { assertIssues, newCustomer, newOrder } from '../../support/resource-support.ts';
import { found } from './search-support.ts';

const people = {
  grace: { name: 'Grace Hopper', email: 'grace@navy.example', phone: '+4944112345678' },
  mueller: { name: 'Jörg Müller', email: 'j.mueller@example.com', phone: '+33199001234' },
  strasse: { name: 'Café Weißstraße 12"', email: null, phone: null },
  capital: { name: 'STRAẞEN Bau', email: null, phone: null },
  tower: { name: 'Turm', email: null, phone: '+4930555182099' },
  range: { name: 'Haus 12 - 14', email: null, phone: null },
  lodz: { name: 'Zoë O’Łódź-Søren', email: null, phone: null },
  chinese: { name: '李明', email: null, phone: null },
  arabic: { name: 'ليلى حسن', email: null, phone: null },
  syntax: { name: 'x" OR * NEAR(a b) {text}: ^-+', email: null, phone: null },
  baer: {
    name: 'Änne Bär',
    email: null,
    phone: null,
    address: { line1: 'Am Hogen Hagen 1', city: 'Bad Zwischenahn', postalCode: '26160', country: 'DE' },
  },
  bauer: { name: 'Eva Bauer', email: null, phone: null },
  huebner: { name: 'Kai Huebner', email: null, phone: null },
  obrien: { name: 'Pat O’Brien', email: null, phone: null },
  dangelo: { name: 'D´Angelo', email: null, phone: null },
  dash: { name: 'Anne–Sophie 10×15', email: null, phone: null },
  thor: { name: 'Þór Ħaġar Ŋiŋa Ŧuru Əliyev Ðorđević', email: null, phone: null },
  yamada: { name: '山田太郎', email: null, phone: null },
  kim: { name: '김철수', email: null, phone: null },
  idn: { name: 'Mail', email: 'rosa@xn--zwlf-6qa.example', phone: null },
  taro: { name: 'やまだ', email: null, phone: null },
  spa: { name: 'Skaarup S.p.A.', email: null, phone: null },
  emoji: { name: 'Tea 👩‍👩‍👧 House', email: null, phone: null },
  sons: { name: 'Dombey & Son', email: null, phone: null },
  band: { name: 'Wind und Wellen', email: null, phone: null },
} as const;
type Name = keyof typeof people;

/** A service with these people alone, before its tests add others. */
function serviceWithPeople() {
  let staff: Person | undefined;
  const ids = new Map<Name, number>();
  const service = sharedService({}, async (started) => {
    staff = await started.person('staff');
    for (const name of Object.keys(people) as Name[])
      ids.set(name, (await newCustomer(started, staff.token, people[name])).id);
  });
  return { service, ids, staff: (): Person => staff ?? assert.fail('the suite runs') };
}

const finds: readonly (readonly [q: string, ...names: Name[]])[] = [
  ['hopper', 'grace'],
  ['HOPP', 'grace'],
  ['hopper grace', 'grace'],
  ['grace navy', 'grace'],
  ['rac opp', 'grace'],
  ['hopper jörg'],
  ['muller', 'mueller'],
  ['mu\u0308ller', 'mueller'],
  ['MÜLLER', 'mueller'],
  ['Mueller', 'mueller'],
  ['muell', 'mueller'],
  ['baer', 'baer'],
  ['AENNE b', 'baer'],
  ['hogen hagen', 'baer'],
  ["O'Brien", 'obrien'],
  ['o`brien', 'obrien'],
  ["d'angelo", 'dangelo'],
  ['D’Angelo', 'dangelo'],
  ['obrien', 'obrien'],
  ['o brien', 'obrien'],
  ['dangelo', 'dangelo'],
  ['annesophie', 'dash'],
  ['anne sophie', 'dash'],
  ["eva bau'er", 'bauer'],
  ['spa', 'spa'],
  ['s.p.a', 'spa'],
  ['skårup', 'spa'],
  ['ヤマダ', 'taro'],
  ['anne-sophie', 'dash'],
  ['Anne‐Sophie', 'dash'],
  ['anne‑sophie', 'dash'],
  ['anne−sophie', 'dash'],
  ['10x15', 'dash'],
  ['10×1', 'dash'],
  ['thor', 'thor'],
  ['hagar', 'thor'],
  ['nina', 'thor'],
  ['turu', 'thor'],
  ['eliyev', 'thor'],
  ['ÐORÐEVIC', 'thor'],
  ['太郎', 'yamada'],
  ['田太', 'yamada'],
  ['郎', 'yamada'],
  ['郎太'],
  ['철수', 'kim'],
  ['zwölf', 'idn'],
  ['xn--zwlf-6qa', 'idn'],
  ['rosa@xn--zwlf-6qa.example', 'idn'],
  ['xn--zwlf-6q'],
  ['rosa@zwölf.example', 'idn'],
  ['xn--zwlf-6qa.example', 'idn'],
  ['bauer', 'bauer'],
  ['hübn', 'huebner'],
  ['hu\u0308bner', 'huebner'],
  ['hubner'],
  ['zwischenahn', 'baer'],
  ['änne zwisch', 'baer'],
  ['weissstrasse', 'strasse'],
  ['WEIẞSTRAẞE', 'strasse'],
  ['straßen', 'capital'],
  ['strassen', 'capital'],
  ['STRAẞEN', 'capital'],
  ['cafe', 'strasse'],
  ['12"', 'strasse'],
  ['lodz', 'lodz'],
  ['soren', 'lodz'],
  ['gr', 'grace'],
  ['g', 'grace'],
  ['h g', 'grace'],
  ['gr ho', 'grace'],
  ['dombey and son', 'sons'],
  ['dombey + son', 'sons'],
  ['wind & wellen', 'band'],
  ['und', 'band'],
  ['李', 'chinese'],
  ['李明', 'chinese'],
  ['حسن', 'arabic'],
  ['\u200fحسن\u200e', 'arabic'],
  ['👩‍👩‍👧', 'emoji'],
  ['+49 441', 'grace'],
  ['0441 123456', 'grace'],
  ['(0441) 12 34 56', 'grace'],
  ['0441/12345678', 'grace'],
  ['030 / 555', 'tower'],
  ['123456', 'grace'],
  ['+49 (0)30 555 1820', 'tower'],
  ['+49(0)305551820', 'tower'],
  ['0049 (0)30 555 1820', 'tower'],
  ['turm +49 (0) 30/555 1820', 'tower'],
  ['030 / 555 18 20', 'tower'],
  ['030 - 555 - 1820', 'tower'],
  ['(030) / 555.1820 turm', 'tower'],
  ['12 - 14', 'range'],
  ['1990012', 'mueller'],
  ['x" OR', 'syntax'],
  ['NEAR(a', 'syntax'],
  ['{text}:', 'syntax'],
  ['"'],
  ['hopper OR müller'],
  ['hop*'],
  ['-müller'],
  ['text:hopper'],
  ['^grace'],
  ['gracee'],
  ['\u0301'.repeat(100)],
  ['a'.repeat(100)],
  ['a '.repeat(49) + 'aa'],
];

describe('a customer is found by their text', () => {
  const { service, ids, staff } = serviceWithPeople();
  for (const [q, ...names] of finds) {
    const outcome = names.length === 0 ? 'not found' : 'found';
    test(`a customer is ${outcome} by ${JSON.stringify(q.slice(0, 40))}`, async () => {
      assert.deepEqual(
        await found(service(), staff(), '/customers', q),
        names.map((name) => ids.get(name)),
      );
    });
  }
});

describe('a customer', () => {
  const { service, ids, staff } = serviceWithPeople();
  test('a customer is found by its id first, then the newest that have its digits', async () => {
    const id = ids.get('grace') ?? 0;
    const [older, newer] = [
      await newCustomer(service(), staff().token, { name: `Shop 7700${id}` }),
      await newCustomer(service(), staff().token, { name: `Shop 7700${id}` }),
    ];
    assert.deepEqual(await found(service(), staff(), '/customers', `7700${id}`), [newer.id, older.id]);
    assert.equal((await found(service(), staff(), '/customers', String(id)))[0], id);
    assert.deepEqual(await found(service(), staff(), '/customers', `#${id}`), [id]);
  });

  test('a customer is found by its id together with words of its text, and with no others', async () => {
    const id = ids.get('lodz') ?? 0;
    const { id: newer } = await newCustomer(service(), staff().token, { name: `Zoë ${id}` });
    assert.deepEqual(await found(service(), staff(), '/customers', `zoe ${id}`), [id, newer]);
    assert.deepEqual(await found(service(), staff(), '/customers', `#${id} soren zoe`), [id]);
    assert.deepEqual(await found(service(), staff(), '/customers', `jörg ${id}`), []);
    for (const q of [`${id} zoe ${newer}`, `${newer} zoe ${id}`])
      assert.deepEqual(await found(service(), staff(), '/customers', q), []);
    const other = await service().person();
    assert.deepEqual(await found(service(), other, '/customers', `zoe ${id}`), []);
    const mine = await newCustomer(service(), other.token, { name: 'Zoë' });
    assert.deepEqual(await found(service(), other, '/customers', `zoe ${mine.id}`), [mine.id]);
  });

  test('a customer is found by the city of the address as it is now', async () => {
    const address = { line1: 'Lange Straße 1', city: 'Göttingen', postalCode: '37073', country: 'DE' };
    const { id } = await newCustomer(service(), staff().token, { name: 'Moved', address });
    assert.deepEqual(await found(service(), staff(), '/customers', 'goettingen'), [id]);
    const body = { address: { ...address, city: 'Kassel', postalCode: '34117' } };
    await service().patch(`/customers/${id}`, { token: staff().token, body });
    assert.deepEqual(await found(service(), staff(), '/customers', 'göttingen'), []);
    assert.deepEqual(await found(service(), staff(), '/customers', 'kassel moved'), [id]);
    const other = await service().person();
    const mine = await newCustomer(service(), other.token, { name: 'Mine', ...body });
    assert.deepEqual(await found(service(), other, '/customers', 'kass'), [mine.id]);
  });

  test('a customer is found by its new name, and not after its deletion', async () => {
    const { id } = await newCustomer(service(), staff().token, { name: 'Before', email: 'b@example.org' });
    await service().patch(`/customers/${id}`, { token: staff().token, body: { name: 'Afterwards' } });
    assert.deepEqual(await found(service(), staff(), '/customers', 'before'), []);
    assert.deepEqual(await found(service(), staff(), '/customers', 'afterw b@ex'), [id]);
    await service().patch(`/customers/${id}`, { token: staff().token, body: { email: null } });
    assert.deepEqual(await found(service(), staff(), '/customers', 'afterw b@ex'), []);
    await service().delete(`/customers/${id}`, { token: staff().token });
    assert.deepEqual(await found(service(), staff(), '/customers', 'afterw'), []);
  });

  // removing more of a customer from the index would hold the event loop for too long
  test('a customer is found by staff by the first 200 characters of name, phone number and address', async () => {
    const phone = '+4915112345678';
    const long = { name: `Longest ${'x'.repeat(172)}`, phone, email: 'zebra@savanna.example' };
    const { id } = await newCustomer(service(), staff().token, long);
    for (const q of ['longest', 'xxx', phone])
      assert.deepEqual(await found(service(), staff(), '/customers', q), [id]);
    assert.deepEqual(await found(service(), staff(), '/customers', 'zebra'), []);
    await service().patch(`/customers/${id}`, { token: staff().token, body: { name: 'Shorter' } });
    assert.deepEqual(await found(service(), staff(), '/customers', 'zebra shorter'), [id]);
    assert.deepEqual(await found(service(), staff(), '/customers', 'longest'), []);
  });

  test('a customer is found within the filters of the list', async () => {
    const other = await service().person();
    const { id } = await newCustomer(service(), other.token, { name: 'Filtered Hopper' });
    assert.deepEqual(await found(service(), staff(), `/customers?userId=${other.id}`, 'hopper'), [id]);
    assert.deepEqual(await found(service(), staff(), '/customers?name=filt', 'hopper'), [id]);
    assert.deepEqual(await found(service(), staff(), '/customers?name=gr', 'hopper'), [ids.get('grace')]);
    assert.deepEqual(await found(service(), staff(), '/customers?email=nobody%40example.com', 'hopper'), []);
  });

  test('a customer is found by the beginnings of its words before all others, by staff and by its owner', async () => {
    const owner = await service().person();
    const add = async (name: string): Promise<number> =>
      (await newCustomer(service(), owner.token, { name })).id;
    const [anna, hanna] = [await add('Anna Quast'), await add('Hanna Quast')];
    const annabel = await add('Quast, Annabel');
    for (let count = 0; count < 49; count += 1) await add('Johanna Quast');
    const johanna = await add('Johanna Quast');
    for (const person of [staff(), owner]) {
      assert.deepEqual(await found(service(), person, '/customers?limit=3', 'anna quast'), [
        annabel,
        anna,
        johanna,
      ]);
      const all = await found(service(), person, '/customers', 'anna quast');
      assert.equal(all.length, 50);
      assert.ok(!all.includes(hanna), 'the oldest of 51 that are found within a word');
    }
  });

  test('a customer is found only by its owner and staff', async () => {
    const [owner, other] = [await service().person(), await service().person()];
    const { id } = await newCustomer(service(), owner.token, {
      name: 'Secret Sorrel',
      phone: '+491701234567',
    });
    for (const q of ['sorrel', 'so', String(id), `#${id}`, '01701234567']) {
      assert.equal((await found(service(), owner, '/customers', q))[0], id, q);
      assert.equal((await found(service(), staff(), '/customers', q))[0], id, q);
      assert.deepEqual(await found(service(), other, '/customers', q), [], q);
    }
    assert.deepEqual(await found(service(), other, `/customers?userId=${owner.id}`, 'sorrel'), []);
  });

  test('a customer is found with its folded text by a user as by staff', async (t) => {
    const service = await serviceFor(t);
    const owner = await service.person();
    for (const name of Object.keys(people) as Name[])
      await newCustomer(service, owner.token, { ...people[name], email: null });
    for (const [q, ...names] of finds) {
      if (/navy|mueller|OR|@|zw|lf-/i.test(q)) continue;
      const own = await found(service, owner, '/customers', q);
      assert.equal(own.length, names.length, q);
    }
  });
});

describe('a search', () => {
  let staff: Person;
  const service = sharedService({}, async (started) => {
    staff = await started.person('staff');
  });
  for (const [query, issues] of [
    ['q=', ['q min-length']],
    ['q=%20', ['q pattern']],
    ['q=%00', ['q pattern']],
    [`q=${'a'.repeat(101)}`, ['q max-length']],
    ['q=a&q=b', ['q repeated-parameter']],
    ['q=abc&limit=51', ['limit maximum']],
    ['q=abc&sort=id', ['sort not-with-q']],
    ['q=abc&total=true', ['total not-with-q']],
    ['q=abc&cursor=abc&sort=-id&limit=200', ['cursor not-with-q', 'limit maximum', 'sort not-with-q']],
  ] as const) {
    for (const path of ['/customers', '/orders']) {
      test(`a search ${path}?${query.slice(0, 40)} is invalid`, async () => {
        assertIssues(await service().get(`${path}?${query}`, { token: staff.token }), 422, issues);
      });
    }
  }

  test('a search finds 50 at most, the newest', async () => {
    for (let index = 0; index < 51; index += 1)
      await newCustomer(service(), staff.token, { name: `Crowd ${index}` });
    const ids = await found(service(), staff, '/customers', 'crowd');
    assert.equal(ids.length, 50);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    );
  });

  const insideOnly = executable === undefined ? {} : { skip: 'needs the inside' };
  test('a search runs in the read worker, with the rights after the wait', insideOnly, async (t) => {
    const own = await serviceFor(t);
    const [admin, actor, other] = [await own.person('admin'), await own.person('staff'), await own.person()];
    await newOrder(own, other.token);
    const mine = await newOrder(own, actor.token);
    const { database } = own.inside ?? assert.fail('it is inside');
    for (const path of ['/customers', '/orders']) {
      await own.patch(`/api/users/${actor.id}`, { token: admin.token, body: { role: 'staff' } });
      let isChanged: Promise<unknown> | undefined;
      const demotion = { token: admin.token, body: { role: 'user' } };
      const stop = beforeQueries(
        database,
        () => (isChanged ??= own.patch(`/api/users/${actor.id}`, demotion)),
      );
      const expected = path === '/orders' ? mine.id : mine.customerId;
      const query = path === '/orders' ? 'green' : 'hopper';
      assert.deepEqual(await found(own, actor, path, query), [expected]);
      stop();
    }
  });
});

test('customers can be renamed and deleted after row ids beyond 2^53', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  const made = await Promise.all(
    Array.from({ length: 300 }, (_, index) => newCustomer(service, token, { name: `Till ${index}` })),
  );
  for (const { id } of made.slice(0, 100)) {
    const path = `/customers/${id}`;
    assert.equal((await service.patch(path, { token, body: { name: `Counter ${id}` } })).status, 200);
    assert.equal((await service.delete(path, { token })).status, 204);
  }
  const { body } = await service.get('/customers?q=counter', { token });
  assert.deepEqual(body.data, []);
});

test('a customer whose phone number alone changes is found by the new number, and not by the old one', async (t) => {
  const service = await serviceFor(t);
  const staff = await service.person('staff');
  const { id } = await newCustomer(service, staff.token, { phone: '+4930111111' });
  const body = { phone: '+4930222222' };
  assert.equal((await service.patch(`/customers/${id}`, { token: staff.token, body })).status, 200);
  assert.deepEqual(await found(service, staff, '/customers', '+4930222222'), [id]);
  assert.deepEqual(await found(service, staff, '/customers', '+4930111111'), []);
});
