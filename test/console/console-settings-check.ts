// The shop in the console, in a real browser: its questions at the first sign-in, what they change, and whose day it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin, serviceFor } from '../support/service.ts';
import { openConsole, openShop } from './console-shop.ts';

const dayHours = 24;
const chooseOwn = 'Choose your own password.';

test('an administrator is asked for the shop at the first sign-in', { timeout: 120_000 }, async (t) => {
  const service = await serviceFor(t);
  const { tab, person } = await openConsole(t, service);
  await tab.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Vienna' });
  await person.signIn(service.url, admin);
  const valueOf = (member: string): Promise<string> =>
    tab.evaluate(`document.querySelector('[data-pointer="/${member}"]').value`);
  const token = async (): Promise<string> => (await service.signIn(admin.email, admin.password)).token;

  await t.test('and can put it off', async () => {
    await person.see('Some questions, once for all devices.');
    await person.press('Later');
    await person.see('No order is here yet.');
    await person.see('Import Customers or Products from a spreadsheet');
    await person.see('Enter your products');
    await tab.open(`${service.url}/console`);
    await person.see('No order is here yet.');
    assert.equal((await service.get('/shop', { token: await token() })).body.updatedAt, null);
  });

  await t.test('and has the first steps until the first order', async () => {
    const cup = { sku: 'CUP', name: 'Cup', unitPrice: 500, currency: 'EUR' };
    await service.post('/products', { token: await token(), body: cup });
    await person.see('Product Cup created');
    await person.see('Enter your products');
    await service.delete('/products/1', { token: await token() });
    await person.see('Product 1 deleted');
  });

  await t.test('and reads on Today and under People that anybody can sign up', async () => {
    await person.see('say so under Shop');
    await person.go('#/people');
    await person.see('say so under Shop');
    await person.press('Add a person');
    await person.see('User: their own orders. Staff: all orders, customers and products.');
    const choices = `[...document.querySelectorAll('dialog option')].map(({ text }) => text).join()`;
    assert.equal(await tab.evaluate(choices), 'User,Staff,Administrator');
  });

  await t.test('and reads what a new colleague has to be told, who then chooses a password', async () => {
    await person.enter('Name', 'Mary Jackson');
    await person.enter('E-mail', 'mary@example.com');
    await person.press('Add');
    await person.see(`They sign in at ${service.url}/console with mary@example.com.`);
    const first = await tab.evaluate<string>('document.querySelector(".secret code").textContent');
    await tab.until(`document.querySelector('main tbody')?.innerText.includes('Mary Jackson')`);
    await person.miss('new – show');
    await person.press('Done');
    await person.miss(chooseOwn);
    await person.press('Sign out');
    await person.signIn(service.url, { email: 'mary@example.com', password: first });
    const focused = `document.activeElement?.dataset.pointer`;
    await person.see('Choose one that nobody else knows.');
    await tab.until(`${focused} === '/password'`);
    await person.miss('Current password');
    await person.press('Later');
    await person.see('Received today');
    await person.reload();
    await person.see(chooseOwn);
    await tab.until(`${focused} === '/currentPassword'`);
    await person.enter('Current password', first);
    await person.enter('New password', 'a password of Mary');
    await person.press('Change password');
    await person.see('The password is changed');
    await person.see('Received today');
    await person.miss(chooseOwn);
    await person.press('Sign out');
    const made = { email: 'made@example.com', password: 'abcde-fghij-kmnpq-rstuv-wxyz2' }; // as the service makes them
    await service.post('/api/users', { token: await token(), body: { ...made, name: 'Made' } });
    await person.signIn(service.url, made);
    await person.see('Choose your own password within 7 days.');
    await person.enter('New password', 'a password of Made');
    await person.press('Change password');
    await person.see('No orders yet');
    await person.miss(chooseOwn);
    await person.press('Sign out');
    await person.signIn(service.url, admin);
    await person.miss('Choose your own password');
  });

  await t.test('with what the browser knows filled in', async () => {
    await tab.evaluate('localStorage.removeItem("orderly-shop-later")');
    await tab.open('about:blank');
    await tab.open(`${service.url}/console`);
    await person.see('Some questions, once for all devices.');
    await tab.until(`document.activeElement?.dataset.pointer === '/name'`);
    assert.equal(await valueOf('timeZone'), 'Europe/Vienna');
    await person.see('Europe/Vienna is no time zone of United States.');
    await person.see('EUR is not the currency of United States.');
    for (const [country, zone] of [
      ['IE', 'Europe/Dublin'],
      ['CL', 'Europe/Dublin'], // which has several zones
      ['AT', 'Europe/Vienna'],
    ] as const) {
      await person.choose('[data-pointer="/country"]', country);
      assert.deepEqual([await valueOf('timeZone'), await valueOf('currency')], [zone, 'EUR']);
    }
    await person.miss('is no time zone of');
    await person.miss('is not the currency of');
    assert.equal(await valueOf('registration'), 'closed', 'nobody is let in by an answer that was not given');
    await person.enter('Name of the shop', 'Teehaus');
    await person.enter('Its address, in one line', 'Ring 1, 1010 Wien');
    await tab.evaluate(`document.querySelector('[data-pointer="/user/name"]').value = ''`);
    await person.press('Save');
    await person.see('Your own name must not be empty.');
    await person.miss('Name of the shop must not be empty.');
    await person.enter('Your own name', 'Hedy Lamarr');
    await person.press('Save');
    await person.see('No order is here yet.');
    await person.see('Hedy Lamarr');
    await person.see('Account Mary Jackson created');
    const { body } = await service.get('/shop', { token: await token() });
    assert.deepEqual(
      [body.name, body.address, body.country, body.timeZone, body.registration],
      ['Teehaus', 'Ring 1, 1010 Wien', 'AT', 'Europe/Vienna', 'closed'],
    );
    for (const hash of ['#/people', '#/today']) {
      await person.go(hash);
      assert.doesNotMatch(await tab.evaluate('document.body.innerText'), /say so under Shop/);
    }
  });

  await t.test('and the next address, phone and paper begin with the answers', async () => {
    await person.go('#/customers/new');
    assert.equal(await valueOf('address/country'), 'AT');
    await person.enter('Name', 'Ada');
    await person.enter('Phone', '01 5880123');
    await person.press('Add customer');
    await person.see('Ada is a customer now.');
    await person.see('Print card');
    assert.equal((await service.get('/customers/1', { token: await token() })).body.phone, '+4315880123');
    const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
    const body = { customerId: 1, currency: 'EUR', items };
    await service.post('/orders', { token: await token(), body });
    await person.go('#/orders/1');
    await tab.evaluate('window.print = () => undefined');
    await person.see('Order 1');
    const paper = `document.querySelector('main .sheet')?.textContent.includes('Teehaus, Ring 1, 1010 Wien')`;
    await person.press('Packing slip');
    await tab.until(paper);
    await person.miss('Papers name no sender');
  });

  await t.test('and is not asked again, but may change it', async () => {
    await tab.evaluate(`location.hash = ''`);
    await tab.send('Page.reload');
    await tab.until('document.querySelector(".frame")');
    await person.press('Shop');
    await tab.until(`document.querySelector('[data-pointer="/name"]')?.value === 'Teehaus'`);
    await person.enter('Name of the shop', 'Teehaus am Ring');
    await person.press('Save');
    await person.see('Saved.');
    assert.equal((await service.get('/shop', { token: await token() })).body.name, 'Teehaus am Ring');
  });
});

test(
  'an administrator is asked for the shop, and finds what the operator has said',
  { timeout: 60_000 },
  async (t) => {
    const service = await serviceFor(t, {
      settings: { 'default-currency': 'CHF', 'default-country': 'DE' },
    });
    const { tab, person } = await openConsole(t, service);
    await person.signIn(service.url, admin);
    await person.see('Some questions, once for all devices.');
    const valueOf = (member: string): Promise<string> =>
      tab.evaluate(`document.querySelector('[data-pointer="/${member}"]').value`);
    assert.deepEqual([await valueOf('country'), await valueOf('currency')], ['DE', 'CHF']);
    await person.see('CHF is not the currency of Germany.');
    await person.choose('[data-pointer="/country"]', 'CH');
    await person.miss('is not the currency of');
    await person.choose('[data-pointer="/country"]', 'AT');
    assert.equal(await valueOf('currency'), 'CHF');
  },
);

test('the console follows the shop', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  await tab.send('Emulation.setTimezoneOverride', { timezoneId: 'America/Los_Angeles' });
  await person.signIn(service.url, admin);
  const day = `document.querySelector('input[type=date]')?.value`;
  const dayIn = (timeZone: string): string => new Date().toLocaleDateString('sv', { timeZone });

  await t.test('whose time zone and currency are changed while the page is open', async () => {
    await person.go('#/new');
    await tab.until(`document.querySelector('[data-pointer="/currency"]')?.value === 'EUR'`);
    await person.go('#/day');
    await tab.until(`${day} === '${dayIn('America/Los_Angeles')}'`);
    await service.patch('/shop', { token, body: { timeZone: 'Pacific/Kiritimati', currency: 'NZD' } });
    await person.see('From midnight to midnight in Pacific/Kiritimati');
    await person.go('#/today');
    await person.go('#/day');
    await tab.until(`${day} === '${dayIn('Pacific/Kiritimati')}'`);
    await person.go('#/new');
    await tab.until(`document.querySelector('[data-pointer="/currency"]')?.value === 'NZD'`);
  });

  await t.test('on a device whose clock is wrong, which is said once', async () => {
    await tab.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `{
        const Right = Date;
        const now = () => Right.now() + ${dayHours + 2} * 3_600_000;
        window.Date = class extends Right {
          static now = now;
          constructor(...given) { super(...(given.length === 0 ? [now()] : given)); }
        };
      }`,
    });
    await tab.send('Page.reload');
    await person.see('The clock of this device is off by 26 hours');
    await person.go('#/day');
    await tab.until(`${day} === '${dayIn('Pacific/Kiritimati')}'`);
    await tab.evaluate(`document.querySelector('.notice button').click()`);
    await person.go('#/orders');
    assert.equal(await tab.evaluate(`document.querySelector('.notice')`), null);
  });

  await t.test('and a browser that knows no time zone shows its days', async () => {
    await tab.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `{
        const { resolvedOptions } = Intl.DateTimeFormat.prototype;
        Intl.DateTimeFormat.prototype.resolvedOptions = function () {
          return { ...resolvedOptions.call(this), timeZone: 'Etc/Unknown' };
        };
      }`,
    });
    await tab.evaluate(`location.hash = '#/today'`);
    for (const timeZone of ['Pacific/Kiritimati', null]) {
      await service.patch('/shop', { token, body: { timeZone } });
      await tab.evaluate('window.isOld = true');
      await tab.send('Page.reload');
      await tab.until(`!window.isOld && document.body.innerText.includes('Received today')`);
    }
    await person.go('#/day');
    await person.see('From midnight to midnight in UTC');
  });
});
