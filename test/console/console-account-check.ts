// Accounts in the console, in a real browser: confirming the password, one-time codes, sessions that end, and
// people without staff rights.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, codeOf } from '../features/totp/totp-support.ts';
import { admin, password } from '../service.ts';
import { openShop } from './console-shop.ts';

const elevenMinutes = 660_000;

test('accounts in the console', { timeout: 120_000 }, async (t) => {
  const { service, tab, person } = await openShop(t);
  const ada = await service.person('user', 'Ada');
  await person.signIn(service.url, admin);

  await t.test('what is sensitive needs the password again, and then goes on', async () => {
    service.clock.now += elevenMinutes;
    await person.go('#/account');
    await person.press('New key …');
    await person.enter('What it is for', 'till 3');
    await person.press('Create the key');
    await person.see('Is it you?');
    await person.enter('Password', 'not the password');
    await person.press('Continue');
    await person.see('Wrong e-mail address or password.');
    await person.enter('Password', admin.password);
    await person.press('Continue');
    await person.see('The key is created');
    assert.match(await tab.evaluate('document.querySelector(".secret code").textContent'), /^ord_/);
    await person.press('Done');
    await person.see('till 3');
    const { token } = await service.signIn(admin.email, admin.password);
    const { data } = (await service.get('/api/sessions', { token })).body;
    const browsers = data.filter(({ userAgent }: { userAgent: string | null }) => userAgent !== null);
    assert.equal(browsers.length, 1, 'the session before has ended');
  });

  await t.test('one-time codes are set up, and asked for from then on', async () => {
    await person.go('#/account');
    await person.press('Set up …');
    await tab.until('document.querySelector("dialog .secret code")');
    const shown = await tab.evaluate<string>('document.querySelector("dialog .secret code").textContent');
    const secret = bytesOf(shown.replaceAll(' ', ''));
    await person.enter('Code that the app shows now', codeOf(secret, service, -1));
    await person.press('Turn on');
    await person.see('One-time codes are on');
    const codes = await tab.evaluate<string>('document.querySelector("dialog .secret code").textContent');
    assert.equal(codes.split('\n').length, 8);
    await person.press('Done');
    await person.press('Sign out');
    await person.enter('E-mail', admin.email);
    await person.enter('Password', admin.password);
    await person.press('Sign in');
    await person.see('Also enter the code.');
    await person.enter('One-time code', codeOf(secret, service));
    await person.press('Sign in');
    await person.see('8 recovery codes are left.');
  });

  await t.test('a list is saved as a file', async () => {
    await person.go('#/orders');
    await person.press('CSV');
    await person.see('orders.csv was saved.');
  });

  await t.test('a session that is ended elsewhere ends here, too', async () => {
    await person.press('Sign out');
    await person.signIn(service.url, { email: ada.email, password });
    await person.see('Orders');
    await service.delete('/api/sessions', { token: ada.token });
    await person.see('Password');
  });

  await t.test(
    'people without staff rights see their own orders, and nothing that they may not do',
    async () => {
      await person.signIn(service.url, { email: ada.email, password });
      await person.see('No orders yet');
      const places = await tab.evaluate<string>('document.querySelector("nav.side").innerText');
      assert.deepEqual(places.split('\n').slice(0, 5), [
        'orderly',
        'Orders',
        'New order',
        'Customers',
        'My account',
      ]);
      for (const hash of ['#/account', '#/customers', '#/new']) await person.go(hash);
    },
  );

  assert.deepEqual(tab.complaints, []);
});
