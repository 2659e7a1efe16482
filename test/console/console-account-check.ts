// Accounts in the console, in a real browser: confirming the password, one-time codes, sessions that end, and
// people without staff rights.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, codeOf } from '../support/totp-support.ts';
import { admin, password } from '../support/service.ts';
import { keepSaved } from './console-actions.ts';
import { openShop } from './console-shop.ts';

const elevenMinutes = 660_000;
const once = 'Each replaces one code of the app, once.';

test('accounts in the console', { timeout: 120_000 }, async (t) => {
  const { service, tab, person } = await openShop(t);
  const ada = await service.person('user', 'Ada');
  await person.signIn(service.url, admin);

  await t.test('what is sensitive needs the password again, and then goes on', async () => {
    service.clock.now += elevenMinutes;
    await person.go('#/account');
    await person.press('New key …');
    await person.enter('What it is for', 'till 3');
    await person.see('Place and change orders (orders:write)');
    await person.press('Create the key');
    await person.see('Is it you?');
    const gap = `document.querySelector('dialog:last-of-type .field').getBoundingClientRect().top -
      document.querySelector('dialog:last-of-type p').getBoundingClientRect().bottom`;
    assert.ok((await tab.evaluate<number>(gap)) > 8, 'the question is apart from its field');
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

  await t.test(
    'a key and a webhook that no box is ticked for say so below the boxes until one is',
    async () => {
      for (const [hash, dialog, button, name] of [
        ['#/account', 'New key …', 'Create the key', 'What it is for'],
        ['#/system', 'Add a webhook', 'Add', 'Address'],
      ] as const) {
        await person.go(hash);
        await person.press(dialog);
        await person.enter(name, 'https://example.com/');
        await tab.evaluate(`document.querySelectorAll('dialog :checked').forEach((box) => box.click())`);
        await person.press(button);
        await person.see('Tick at least one.');
        const focused = 'document.activeElement.matches("dialog [type=checkbox]")';
        assert.ok(await tab.evaluate(focused), 'the first box has the focus');
        await tab.evaluate('document.activeElement.click()');
        await person.miss('Tick at least one.');
        await person.press('Cancel');
      }
    },
  );

  await t.test('a set-up of one-time codes that was left is nothing that can be turned off', async () => {
    const left = await service.person('user', 'Lise');
    await service.post(`/api/users/${left.id}/totp`, { token: left.token });
    await person.go(`#/people/${left.id}`);
    await person.see('New password …');
    assert.ok(!(await tab.evaluate<string>('document.body.innerText')).includes('one-time codes off'));
  });

  await t.test('an e-mail address that another customer has is said at once', async () => {
    await person.go('#/customers/new');
    await person.enter('E-mail', 'customer@example.com');
    await tab.press('Tab');
    await person.see('has this e-mail address, too.');
    await person.press('Cancel');
  });

  await t.test('one-time codes are set up, and asked for from then on', async () => {
    await person.go('#/account');
    await person.press('Set up …');
    await tab.until('document.querySelector("dialog .secret code")');
    const shown = await tab.evaluate<string>('document.querySelector("dialog .secret code").textContent');
    const secret = bytesOf(shown.replaceAll(' ', ''));
    assert.ok(await tab.evaluate('document.querySelector("dialog svg.qr").checkVisibility()'));
    await person.enter('Code that the app shows now', codeOf(secret, service, -1));
    await person.press('Turn on');
    await person.see('One-time codes are on');
    const codes = await tab.evaluate<string>('document.querySelector("dialog .secret code").textContent');
    assert.match(codes, /^([a-z2-7]{4}-){3}[a-z2-7]{4}(\n.{19}){7}$/);
    await tab.evaluate(
      'window.print = () => (window.printed = document.querySelector(".sheet").textContent)',
    );
    await person.press('Print');
    const printed = await tab.evaluate<string>('window.printed');
    assert.equal(printed, `Recovery codes of ${admin.email}${once}${codes.replaceAll('\n', '')}`);
    await keepSaved(tab);
    await person.press('Save');
    const saved = await tab.evaluate<string>('saved.text()');
    assert.ok(saved.endsWith(`${once}\r\n\r\n${codes.replaceAll('\n', '\r\n')}\r\n`), saved);
    await person.press('Done');
    await tab.until('document.querySelector(".sheet") === null');
    await person.press('Sign out');
    await person.enter('E-mail', admin.email);
    await person.enter('Password', admin.password);
    await person.press('Sign in');
    await person.see('Also enter the code.');
    await person.enter('One-time code', '123456');
    await person.press('Sign in');
    await person.see('This code is wrong, or was used already.');
    await person.enter('One-time code', codeOf(secret, service));
    await person.press('Sign in');
    await person.see('8 recovery codes are left.');
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
      assert.deepEqual(places.split('\n').slice(0, 7), [
        'orderly',
        'Search',
        'Ctrl+K',
        'Orders',
        'New order',
        'Customers',
        'My account',
      ]);
      for (const hash of ['#/account', '#/customers', '#/new']) await person.go(hash);
    },
  );

  await t.test('who has a long e-mail address is told of no picture, which it has no room for', async () => {
    const email = `${'a'.repeat(50)}@example.com`;
    await service.post('/api/users', { body: { name: 'Long', email, password } });
    await person.press('Sign out');
    await person.signIn(service.url, { email, password });
    await person.go('#/account');
    await person.press('Set up …');
    await person.see('Or type this into it');
    assert.doesNotMatch(await tab.evaluate<string>('document.body.innerText'), /picture/);
  });
});
