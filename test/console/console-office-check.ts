// What an administrator does in the console now and then, in a real browser: a privacy request, accounts,
// backups, a full disk.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { admin, password, serviceFor } from '../support/service.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { keepSaved } from './console-actions.ts';
import { openConsole, openShop, openSignedIn } from './console-shop.ts';

const elevenMinutes = 660_000;

test('the back room in the console', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  const staff = await service.person('staff');
  await person.signIn(service.url, admin);

  await t.test('all of one customer is saved as a file', async () => {
    await person.go('#/customers/1');
    await keepSaved(tab);
    await person.press('Save all as a file');
    await person.see('customer-1.json was saved.');
    const { customer, orders } = JSON.parse(await tab.evaluate<string>('saved.text()'));
    assert.deepEqual(customer, (await service.get('/customers/1', { token })).body);
    const { data } = (await service.get('/orders?customerId=1&sort=id', { token })).body;
    assert.deepEqual(orders, data);
  });

  await t.test(
    'a customer with orders is erased, after a dialog that says what goes and what stays',
    async () => {
      service.clock.now += elevenMinutes;
      await person.go('#/customers/2');
      await person.see('A customer with orders can’t be deleted: the orders stay for the books.');
      assert.equal(await tab.evaluate('document.querySelector("[data-key=delete]")'), null);
      await person.press('Erase personal data …');
      await person.see('Erased:');
      await person.see('Kept:');
      await person.see('In backups and saved files it stays until you delete them: an import of such a file');
      await person.press('Erase');
      await person.see('Is it you?');
      await person.enter('Password', admin.password);
      await person.press('Continue');
      await person.see('Customer 2 has no personal data any more.');
      await person.see('Customer 2 erased');
      await person.see('Erased customer');
      const { body } = await service.get('/customers/2', { token });
      assert.equal(body.name, 'erased');
    },
  );

  await t.test('staff read who can erase a customer', async () => {
    await person.press('Sign out');
    await tab.until('document.querySelector(".sign-in")');
    await person.signIn(service.url, { email: staff.email, password });
    await person.go('#/customers/1');
    await person.see('An administrator can erase what is personal.');
    assert.ok(!(await tab.evaluate<string>('document.body.innerText')).includes('Erase personal data'));
    await person.press('Sign out');
    await tab.until('document.querySelector(".sign-in")');
  });

  await t.test('why an account is suspended is said to administrators', async () => {
    const { id } = await service.person('user', 'Lou');
    await person.signIn(service.url, admin);
    await person.go(`#/people/${id}`);
    await person.press('Suspend …');
    await person.enter('Reason', 'Laptop stolen');
    await person.press('Suspend');
    await person.see(': can’t sign in. Reason: Laptop stolen');
  });

  await t.test('an account is deleted, after a dialog that says what goes and what stays', async () => {
    const { token: fresh } = await service.signIn(admin.email, admin.password);
    const left = await service.person('user', 'Lise');
    await person.go(`#/people/${left.id}`);
    await person.press('Delete …');
    await person.see('Orders and customers stay');
    await person.press('Delete');
    await person.see('Lise was deleted.');
    assert.equal((await service.get(`/api/users/${left.id}`, { token: fresh })).status, 404);
  });

  await t.test('System makes the backup that is missing, and has the command for a timer', async () => {
    await person.go('#/system');
    await person.see('There is no backup: if this machine fails, all orders and customers are lost.');
    await person.see(' backup --data ');
    await person.press('Make a backup now');
    await person.see('The backup is made.');
    const [name = ''] = readdirSync(join(service.folder, 'backups'));
    await person.see(name);
    await person.see('Nothing has to be done, if the newest backup is on another disk, too.');
  });
});

test('the account’s page shows phones the way to the certificate', { timeout: 120_000 }, async (t) => {
  const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
  const { tab, person } = await openConsole(t, service);
  await tab.send('Security.setIgnoreCertificateErrors', { ignore: true });
  await person.signIn(`https://localhost:${service.port}`, admin);
  await person.go('#/account');
  await person.see('--host 0.0.0.0');
  assert.equal(await tab.evaluate('document.querySelector("svg.qr")'), null);
  await person.press('Sign out');
  const origin = `https://shop.localhost:${service.port}`; // as a name that other devices use
  await person.signIn(origin, admin);
  await person.go('#/account');
  await person.see(`shop.localhost:${service.port}/certificate`);
  assert.equal(await tab.evaluate('document.querySelector(".address a").href'), `${origin}/certificate`);
  assert.ok(await tab.evaluate('document.querySelector("svg.qr").checkVisibility()'));
});

test('a full disk in the console', { timeout: 120_000 }, (t) =>
  withSmallDisk(t, 24, async (disk) => {
    const { service, tab, person } = await openSignedIn(disk, { folder: join(disk.folder, 'data') });
    disk.fill();
    await person.go('#/customers/new');
    await person.enter('Name', 'Grace Murray');
    await tab.press('Enter'); // goes on, so that what is said of the name is seen
    await person.press('Add customer');
    await person.see('The disk is full: nothing can be saved until there is space on it.');
    assert.equal((await service.get('/health/ready')).status, 503);
    await person.go('#/system');
    await person.see('Nothing can be saved: the disk is full, or fails.');
    await person.press('Make a backup now');
    await person.see('The disk has too little free space for a backup.');
    await person.go('#/today');
    await person.see('Nothing can be saved: the disk is full, or fails.');
    disk.makeRoom();
    await person.go('#/system');
    await person.see('There is no backup');
    await tab.until('!document.body.innerText.includes("Nothing can be saved")');
  }),
);
