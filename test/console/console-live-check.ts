// What the console shows while others work, in a real browser: changes that come late, rights that are
// withdrawn, the next person on the same device, and a webhook whose receiver works again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin, password } from '../support/service.ts';
import { Receiver } from '../features/webhooks/receiver.ts';
import { Person } from './console-actions.ts';
import { openShop } from './console-shop.ts';

const streamsPerUser = 5;
const retryMilliseconds = 10_000;

test('the console while others work', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t, { settings: { 'webhook-allow': '127.0.0.1' } });

  await t.test('polls where the service rejects its stream, waits as told, and says so', async () => {
    const ending = new AbortController();
    const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${token}` };
    const streams: Response[] = []; // referenced, since it would be closed as garbage
    while (streams.length < streamsPerUser)
      streams.push(await fetch(`${service.url}/events`, { headers, signal: ending.signal }));
    await person.signIn(service.url, admin);
    await person.see('Not live: changes by others are shown up to half a minute later.');
    await person.go('#/orders/1');
    await service.patch('/orders/1', { token, body: { note: 'changed elsewhere' } });
    await tab.until('document.body.innerText.includes("Please ring twice.")');
    await later(() => person.see('changed elsewhere'));
    const other = new Person(await tab.another(), 'mouse');
    await other.tab.open(`${service.url}/console#/orders/1`);
    await other.see('Order 1');
    await other.see('Not live');
    assert.match((await service.get('/metrics')).text, /\norderly_streams 5\n/);
    ending.abort();
    await later(() => tab.until('document.querySelector("#banner p") === null'));
    await later(() => other.tab.until('document.querySelector("#banner p") === null'));
    const starts = await tab.evaluate<number[]>(streamStarts);
    assert.ok(starts.length >= 2, 'it tried again');
    for (const [index, start] of starts.slice(1).entries())
      assert.ok(start - (starts[index] ?? 0) > retryMilliseconds - 100, String(starts));
    await other.tab.open('about:blank');
    await tab.send('Page.bringToFront');
    await person.press('Sign out');
    await person.see('Password');
  });

  await t.test('shows only what one may do since one’s role was changed', async () => {
    const till = await service.person('staff', 'Second till');
    await person.signIn(service.url, { email: till.email, password });
    await person.go('#/orders/2');
    await person.see('Pay by:');
    await service.patch(`/api/users/${till.id}`, { token, body: { role: 'user' } });
    await person.see('Your role is User now.');
    await tab.until('!document.body.innerText.includes("Pay by:")');
    assert.equal(await tab.evaluate('document.querySelector(".account .soft").textContent'), 'User');
    for (const hash of ['#/today', '#/products', '#/figures']) {
      await person.go(hash);
      await person.see('This page is not for accounts with the role User.');
    }
    assert.equal(await tab.evaluate('document.querySelector("[href=\'#/products\']")'), null);
  });

  await t.test('says to staff who did it, and to others whether it was them', async () => {
    service.clock.now = Date.now(); // “Latest” shows the latest
    const [maria, till] = [
      await service.person('staff', 'Maria'),
      await service.person('staff', 'Third till'),
    ];
    const ada = await service.person('user', 'Grace');
    const { id: customerId } = (
      await service.post('/customers', { token: ada.token, body: { name: 'Grace' } })
    ).body;
    const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
    const body = { customerId, currency: 'EUR', items };
    const { id } = (await service.post('/orders', { token: ada.token, body })).body;
    await service.patch(`/orders/${id}`, { token: maria.token, body: { status: 'paid' } });
    for (const [email, texts] of [
      [till.email, ['by Maria, ', 'by Grace, ']],
      [ada.email, ['by somebody else, ', 'by you, ']],
    ] as const) {
      await person.press('Sign out');
      await person.signIn(service.url, { email, password });
      await person.go(`#/orders/${id}`);
      for (const text of texts) await person.see(text);
      if (email === till.email) {
        await person.go('#/today');
        await person.see('by Maria, ');
        const phone = { token: maria.token, body: { phone: '+494411234' } };
        await service.patch(`/customers/${customerId}`, phone);
        await person.see('Customer Grace changed');
        assert.doesNotMatch(await tab.evaluate('document.body.innerText'), /by account/);
      }
    }
  });

  await t.test('begins at the start for another person, wherever the one before has been', async () => {
    const ada = await service.person('user', 'Ada');
    await person.go('#/orders/2');
    await person.press('Sign out');
    await person.enter('E-mail', ada.email);
    await person.enter('Password', password);
    await person.press('Sign in');
    await person.see('No orders yet');
    assert.equal(await tab.evaluate('location.hash'), '#/');
  });

  await t.test('tries a failing webhook again at once', async () => {
    await person.press('Sign out');
    await person.signIn(service.url, admin);
    const receiver = await Receiver.start(t);
    await service.post('/webhooks', { token, body: { url: receiver.url(), types: ['order.changed'] } });
    await service.patch('/orders/1', { token, body: { note: 'sent to the receiver' } });
    (await receiver.next()).answer(503, { 'Retry-After': '3600' });
    await saved((failingSince) => failingSince !== null);
    await person.go('#/system');
    await person.see('enabled, failing');
    await person.press(receiver.url());
    await person.press('Try again now');
    (await receiver.next()).answer(204);
    await saved((failingSince) => failingSince === null);
    await tab.until('document.querySelector(".pill").textContent === "enabled"');
    await tab.until('!document.body.innerText.includes("Try again now")');

    /** Results of deliveries are saved once a second. */
    async function saved(isSaved: (failingSince: string | null) => boolean): Promise<void> {
      for (let tries = 0; tries < 1_000; tries += 1) {
        const { failingSince } = (await service.get('/webhooks/1', { token })).body;
        if (isSaved(failingSince)) return;
        if (service.clock.hasTimer(1_000)) service.clock.advance(1_000);
      }
      assert.fail('it was never saved');
    }
  });
});

/** Changes after a pause of the console may take two of its waits. */
async function later(waits: () => Promise<void>): Promise<void> {
  await waits().catch(waits);
}

const streamStarts = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('/events'))
  .map(({ startTime }) => startTime)`;
