// The parameter q of lists: what finds customers, and what can't be combined with it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus, sharedService } from '../../support/http-support.ts';
import { insideOnly, serviceFor, type Person } from '../../support/service.ts';
import { beforeQueries } from '../../support/query-interception.ts';
import { newCustomer, newOrder } from '../../support/resource-support.ts';
import { found } from './search-support.ts';

const home = { line1: 'Am Hogen Hagen 1', city: 'Bad Zwischenahn', postalCode: '26160', country: 'DE' };
/** Customers, and the searches that find each of them and no other. */
const people: readonly (readonly [
  customer: { readonly [name: string]: unknown; readonly name: string },
  finds: string,
])[] = [
  [
    { name: 'Grace Hopper', email: 'grace@navy.example', phone: '+4944112345678' },
    `hopper | HOPP | hopper grace | grace navy | rac opp | gr | g | h g | gr ho | +49 441 | 0441 123456
    | (0441) 12 34 56 | 0441/12345678 | 123456`,
  ],
  [
    { name: 'Jörg Müller', email: 'j.mueller@example.com', phone: '+33199001234' },
    'muller | mu\u0308ller | MÜLLER | Mueller | muell | 1990012',
  ],
  [{ name: 'Café Weißstraße 12"' }, 'weissstrasse | WEIẞSTRAẞE | cafe | 12"'],
  [{ name: 'STRAẞEN Bau' }, 'straßen | strassen | STRAẞEN'],
  [
    { name: 'Turm', phone: '+4930555182099' },
    `030 / 555 | +49 (0)30 555 1820 | +49(0)305551820 | 0049 (0)30 555 1820 | turm +49 (0) 30/555 1820
    | 030 / 555 18 20 | 030 - 555 - 1820 | (030) / 555.1820 turm`,
  ],
  [{ name: 'Haus 12 - 14' }, '12 - 14'],
  [{ name: 'Zoë O’Łódź-Søren' }, 'lodz | soren'],
  [{ name: '李明' }, '李 | 李明'],
  [{ name: 'ليلى حسن' }, 'حسن | \u200fحسن\u200e'],
  [{ name: 'x" OR * NEAR(a b) {text}: ^-+' }, 'x" OR | NEAR(a | {text}:'],
  [{ name: 'Änne Bär', address: home }, 'baer | AENNE b | hogen hagen | zwischenahn | änne zwisch'],
  [{ name: 'Eva Bauer' }, "eva bau'er | bauer"],
  [{ name: 'Kai Huebner' }, 'hübn | hu\u0308bner'],
  [{ name: 'Pat O’Brien' }, "O'Brien | o`brien | obrien | o brien"],
  [{ name: 'D´Angelo' }, "d'angelo | D’Angelo | dangelo"],
  [
    { name: 'Anne–Sophie 10×15' },
    'annesophie | anne sophie | anne-sophie | Anne‐Sophie | anne‑sophie | anne−sophie | 10x15 | 10×1',
  ],
  [{ name: 'Þór Ħaġar Ŋiŋa Ŧuru Əliyev Ðorđević' }, 'thor | hagar | nina | turu | eliyev | ÐORÐEVIC'],
  [{ name: '山田太郎' }, '太郎 | 田太 | 郎'],
  [{ name: '김철수' }, '철수'],
  [
    { name: 'Mail', email: 'rosa@xn--zwlf-6qa.example' },
    `zwölf | xn--zwlf-6qa | rosa@xn--zwlf-6qa.example | rosa@zwölf.example | xn--zwlf-6qa.example`,
  ],
  [{ name: 'やまだ' }, 'ヤマダ'],
  [{ name: 'Lux', reference: 'LX-4711' }, 'lx-4711 | lx 4711 | x4711'],
  [{ name: 'Skaarup S.p.A.' }, 'spa | s.p.a | skårup'],
  [{ name: 'Tea 👩‍👩‍👧 House' }, '👩‍👩‍👧'],
  [{ name: 'Dombey & Son' }, 'dombey and son | dombey + son'],
  [{ name: 'Wind und Wellen' }, 'wind & wellen | und'],
  [{ name: 'Abel & Kain' }, 'abel&kain | abel / kain | abel, kain | kain,abel'],
  [{ name: 'Obst/Nüsse' }, 'obst / nüsse | obst nüsse | nüsse & obst'],
  [{ name: 'Joost van ’t Veer' }, "van t veer | van 't veer | 't veer"],
  [{ name: 'Marcel·la Puig' }, 'marcella | marcel·la | marcel.la'],
  [{ name: 'فاطمة 2525' }, 'فاطمه | فاطمة | ٢٥٢٥ | ۲۵۲۵'],
  [{ name: 'مریم ہاشمی ۷۷۷۷' }, 'مريم هاشمي | 7777'],
];
const queriesOf = (finds: string): string[] => finds.split(/\s*\|\s*/);
const findNobody = [
  ...queriesOf(
    'hopper jörg | 郎太 | xn--zwlf-6q | hubner | " | hopper OR müller | hop* | -müller | text:hopper',
  ),
  ...['^grace', 'gracee', '\u0301'.repeat(100), 'a'.repeat(100), 'a '.repeat(49) + 'aa'],
];

/** A service with these people of staff, before its tests add others. */
function serviceWithPeople() {
  let staff: Person;
  const ids = new Map<string, number>();
  const service = sharedService({}, async (started) => {
    staff = await started.person('staff');
    for (const [customer] of people)
      ids.set(customer.name, (await newCustomer(started, staff.token, customer)).id);
  });
  const search = (q: string, filter = '', caller = staff): Promise<number[]> =>
    found(service(), caller, `/customers${filter}`, q);
  const add = async (customer: object, { token } = staff): Promise<number> =>
    (await newCustomer(service(), token, customer)).id;
  return { service, search, add, idOf: (name: string): number => ids.get(name) ?? 0, staff: () => staff };
}

describe('a customer is found by their text', () => {
  const { service, search, add, idOf } = serviceWithPeople();
  for (const [{ name }, finds] of people)
    test(`a customer named ${name} is found by beginnings, folded letters and numbers`, async () => {
      for (const q of queriesOf(finds)) assert.deepEqual(await search(q), [idOf(name)], q);
    });
  test('a customer is not found by what is in none, or by syntax', async () => {
    for (const q of findNobody) assert.deepEqual(await search(q), [], q);
  });
  test('a customer is found with its folded text by a user as by staff', async () => {
    const owner = await service().person();
    const found: [q: string, ids: number[]][] = findNobody.map((q) => [q, []]);
    for (const [customer, finds] of people) {
      const id = await add({ ...customer, email: null }, owner);
      for (const q of queriesOf(finds)) found.push([q, [id]]);
    }
    for (const [q, ids] of found)
      if (!/navy|mueller|OR|@|zw|lf-/i.test(q))
        // these are of e-mail addresses, or operators
        assert.deepEqual(await search(q, '', owner), ids, q);
  });
});

for (const [country, phone, finds] of [
  ['RU', '+79123456789', '8 (912) 345-67-89 | 8 912 3456789 | +7 912 345'],
  ['AR', '+5491123456789', '011 15-2345-6789 | 11 2345 6789'],
  ['LT', '+37061234567', '8 612 34567 | 0 612 34567'],
  ['BR', '+5511912345678', '0 15 11 91234-5678 | (11) 91234-5678'],
] as const)
  describe(`in a shop of ${country}`, () => {
    const service = sharedService({ settings: { 'default-country': country } });
    test(`${phone} is found as it is dialled there, and so are the customer's orders`, async () => {
      const staff = await service().person('staff');
      const customer = await newCustomer(service(), staff.token, { name: 'Ada', phone });
      const order = await newOrder(service(), staff.token, { customerId: customer.id });
      for (const q of queriesOf(finds)) {
        assert.deepEqual(await found(service(), staff, '/customers', q), [customer.id], q);
        assert.deepEqual(await found(service(), staff, '/orders', q), [order.id], q);
      }
    });
  });

describe('a customer', () => {
  const { service, search, add, idOf, staff } = serviceWithPeople();

  test('a customer is found by its id first, then the newest that have its digits', async () => {
    const id = idOf('Grace Hopper');
    const older = await add({ name: `Shop 7700${id}` });
    const newer = await add({ name: `Shop 7700${id}` });
    assert.deepEqual(await search(`7700${id}`), [newer, older]);
    assert.equal((await search(String(id)))[0], id);
    assert.deepEqual(await search(`#${id}`), [id]);
  });

  test('a customer is found by its id together with words of its text, and with no others', async () => {
    const id = idOf('Zoë O’Łódź-Søren');
    const newer = await add({ name: `Zoë ${id}` });
    assert.deepEqual(await search(`zoe ${id}`), [id, newer]);
    assert.deepEqual(await search(`#${id} soren zoe`), [id]);
    for (const q of [`jörg ${id}`, `${id} zoe ${newer}`, `${newer} zoe ${id}`])
      assert.deepEqual(await search(q), []);
    const other = await service().person();
    assert.deepEqual(await search(`zoe ${id}`, '', other), []);
    const mine = await add({ name: 'Zoë' }, other);
    assert.deepEqual(await search(`zoe ${mine}`, '', other), [mine]);
  });

  test('a customer is found by its text as it is now, and not after its deletion', async () => {
    const { patch, delete: remove } = staff();
    const moved = { address: { ...home, city: 'Göttingen' }, name: 'Before', phone: '+4930111111' };
    const id = await add({ ...moved, email: 'b@example.org' });
    const path = `/customers/${id}`;
    assert.deepEqual(await search('goettingen'), [id]);
    for (const [change, before, after] of [
      [{ address: { city: 'Kassel' } }, 'göttingen', 'kassel before'],
      [{ name: 'Afterwards' }, 'before', 'afterw b@ex'],
      [{ phone: '+4930222222' }, '+4930111111', '+4930222222'],
      [{ email: null }, 'afterw b@ex', 'afterw'],
    ] as const) {
      await patch(path, change);
      assert.deepEqual([await search(before), await search(after)], [[], [id]]);
    }
    const other = await service().person();
    const mine = await add({ name: 'Mine', address: { ...home, city: 'Kassel' } }, other);
    assert.deepEqual(await search('kass', '', other), [mine]);
    await remove(path);
    assert.deepEqual(await search('afterw'), []);
  });

  // removing more of a customer from the index would hold the event loop for too long
  test('a customer is found by staff by the first 200 characters of name, phone number and address', async () => {
    const phone = '+4915112345678';
    const id = await add({ name: `Longest ${'x'.repeat(172)}`, phone, email: 'zebra@savanna.example' });
    for (const q of ['longest', 'xxx', phone]) assert.deepEqual(await search(q), [id]);
    assert.deepEqual(await search('zebra'), []);
    await staff().patch(`/customers/${id}`, { name: 'Shorter' });
    assert.deepEqual(await search('zebra shorter'), [id]);
    assert.deepEqual(await search('longest'), []);
  });

  test('a customer is found within the filters of the list', async () => {
    const other = await service().person();
    const id = await add({ name: 'Filtered Hopper' }, other);
    for (const [filter, ids] of [
      [`?userId=${other.id}`, [id]],
      ['?name=filt', [id]],
      ['?name=gr', [idOf('Grace Hopper')]],
      ['?email=nobody%40example.com', []],
    ] as const)
      assert.deepEqual(await search('hopper', filter), ids);
  });

  test('a customer is found by the beginnings of its words before all others, by staff and by its owner', async () => {
    const owner = await service().person();
    const anna = await add({ name: 'Anna Quast' }, owner);
    const hanna = await add({ name: 'Hanna Quast' }, owner);
    const annabel = await add({ name: 'Quast, Annabel' }, owner);
    let johanna = 0;
    for (let count = 0; count < 50; count += 1) johanna = await add({ name: 'Johanna Quast' }, owner);
    const newest = await add({ name: 'Anna Quast' }, owner);
    for (const caller of [staff(), owner]) {
      assert.deepEqual(await search('anna quast', '?limit=4', caller), [newest, annabel, anna, johanna]);
      const all = await search('anna quast', '', caller);
      assert.equal(all.length, 50);
      assert.ok(!all.includes(hanna), 'the oldest of 51 that are found within a word');
    }
  });

  test('a customer is found only by its owner and staff', async () => {
    const [owner, other] = [await service().person(), await service().person()];
    const id = await add({ name: 'Secret Sorrel', phone: '+491701234567' }, owner);
    for (const q of ['sorrel', 'so', String(id), `#${id}`, '01701234567']) {
      for (const caller of [owner, staff()]) assert.equal((await search(q, '', caller))[0], id, q);
      assert.deepEqual(await search(q, '', other), [], q);
    }
    assert.deepEqual(await search('sorrel', `?userId=${owner.id}`, other), []);
  });
});

test('a search runs in the read worker, with the rights after the wait', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const [root, actor, other] = [await service.root(), await service.person('staff'), await service.person()];
  await newOrder(service, other.token);
  const mine = await newOrder(service, actor.token);
  const { database } = service.inside ?? assert.fail('it is inside');
  const setRole = (role: string) => root.patch(`/api/users/${actor.id}`, { role });
  for (const [path, q, expected] of [
    ['/customers', 'hopper', mine.customerId],
    ['/orders', 'green', mine.id],
  ] as const) {
    await setRole('staff');
    let isChanged: Promise<unknown> | undefined;
    const stop = beforeQueries(database, () => (isChanged ??= setRole('user')));
    assert.deepEqual(await found(service, actor, path, q), [expected]);
    stop();
  }
});

test('customers can be renamed and deleted after row ids beyond 2^53', async (t) => {
  const service = await serviceFor(t);
  const { token, get, patch, delete: remove } = await service.person('staff');
  const made = Array.from({ length: 300 }, () => newCustomer(service, token, { name: 'Till' }));
  for (const { id } of (await Promise.all(made)).slice(0, 100)) {
    await assertStatus(patch(`/customers/${id}`, { name: `Counter ${id}` }), 200);
    await assertStatus(remove(`/customers/${id}`), 204);
  }
  assert.deepEqual((await get('/customers?q=counter')).body.data, []);
});
