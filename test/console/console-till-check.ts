// A seller at the till, in a real browser: one order after the other, and nothing that was entered is lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin } from '../support/service.ts';
import { until } from '../support/storage-support.ts';
import { openSignedIn } from './console-shop.ts';

test('a seller at the till', { timeout: 120_000 }, async (t) => {
  const { service, tab, person } = await openSignedIn(t);
  const readToken = async (): Promise<string> => (await service.signIn(admin.email, admin.password)).token;
  const placed = async (): Promise<number> =>
    (await service.get('/orders?total=true&limit=1', { token: await readToken() })).body.total;
  const value = (pointer: string): Promise<unknown> =>
    tab.evaluate(`document.querySelector('[data-pointer="${pointer}"]')?.value`);
  const isEmpty = `document.querySelector('[data-pointer="/items/0/name"]')?.value === ''`;

  async function enterOrder(words: string): Promise<void> {
    await person.chooseCustomer(words);
    await person.enter('Item', 'Tea');
    await person.enter('Price', '7,49');
  }

  await t.test('parks a sale for the next customer, and goes on with it', async () => {
    await person.go('#/new');
    await enterOrder('grace');
    await person.press('Park');
    await tab.until(isEmpty);
    await person.see('1 parked');
    await person.enter('Item', 'Cup');
    await person.press('New order');
    await person.see('2 parked');
    await tab.until(isEmpty);
    await person.press('2 parked'); // the one that has waited longest
    await tab.until(`document.querySelector('[data-pointer="/items/0/name"]')?.value === 'Tea'`);
    await tab.until(`document.querySelector('[data-pointer="/customerId"]').value === 'Grace Hopper'`);
    await person.see('Begun ');
    await person.press('1 parked');
    await tab.until(`document.querySelector('[data-pointer="/items/0/name"]')?.value === 'Cup'`);
    await person.startOver();
    await tab.until(isEmpty);
    await person.press('1 parked');
    await tab.until(`document.querySelector('[data-pointer="/items/0/name"]')?.value === 'Tea'`);
    await person.press('Start over');
    await tab.until(isEmpty);
    assert.equal(await tab.evaluate('document.querySelector("main").innerText.includes("parked")'), false);
  });

  await t.test('goes on where they were after signing in again', async () => {
    await person.go('#/new');
    await enterOrder('grace');
    await endSessions();
    assert.doesNotMatch(await tab.evaluate('document.body.innerText'), /Order|Tea/);
    await person.enter('Password', admin.password);
    await person.press('Sign in');
    await tab.until(`document.querySelector('[data-pointer="/items/0/unitPrice"]')?.value === '7,49'`);
    const before = await placed();
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    assert.equal(await placed(), before + 1);
    await service.patch('/orders/1', { token: await readToken(), body: { note: 'Still live.' } });
    await person.go('#/orders/1');
    await person.see('Still live.');
  });

  await t.test('finds a question again that was open', async () => {
    await person.go('#/customers/1');
    await person.press('Change');
    await person.enter('Phone', '+4944155555');
    await endSessions();
    await tab.until('!document.querySelector("dialog")');
    await person.enter('Password', admin.password);
    await person.press('Sign in');
    await tab.until('document.querySelector("dialog:modal")');
    await person.press('Save');
    await person.see('+49 441 555 55');
  });

  await t.test('is warned before a reload loses what was entered, also on another page', async () => {
    await person.go('#/customers/new');
    assert.equal(await isWarned(), false, 'nothing was entered');
    await person.enter('Name', 'Emmy Noether');
    await tab.send('Page.reload');
    await stay();
    assert.equal(await value('/name'), 'Emmy Noether');
    await person.press('Customers');
    await person.press('Grace Hopper');
    await tab.until('document.querySelector("[href^=tel]")');
    await tab.evaluate(openNothing);
    await person.press('+49 441');
    assert.equal(await isWarned(), false, 'a call doesn’t leave the page');
    await until(isWarned);
    await person.go('#/customers/new');
    await person.press('Add customer');
    await person.see('Emmy Noether is a customer now.');
    assert.equal(await isWarned(), false, 'it was sent');
  });

  await t.test('is told of no input where what was typed has been deleted again', async () => {
    await person.go('#/customers/new');
    await tab.evaluate('document.querySelectorAll(".notice").forEach((each) => each.remove())');
    await person.enter('Phone', '1');
    assert.equal(await isWarned(), true);
    const backspace = { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 };
    await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', ...backspace });
    assert.equal(await isWarned(), false);
    await person.go('#/customers');
    await person.go('#/customers/new');
    assert.ok(!(await tab.evaluate<string>('document.body.innerText')).includes('still here'));
  });

  await t.test('is warned while a question has input, until it is closed or they sign out', async () => {
    await person.go('#/customers/1');
    await person.press('Change');
    assert.equal(await isWarned(), false, 'nothing was entered');
    await person.enter('Phone', '+4944166666');
    await endSessions();
    await person.enter('Password', admin.password);
    assert.equal(await isWarned(), true, 'it is still there after signing in');
    await person.press('Sign in');
    await tab.until('document.querySelector("dialog:modal")');
    assert.equal(await isWarned(), true);
    await person.press('Cancel');
    await tab.until('!document.querySelector("dialog")');
    assert.equal(await isWarned(), false, 'it was given up');
    await person.go('#/customers/new');
    await person.enter('Name', 'Nobody');
    assert.equal(await isWarned(), true);
    await person.press('Sign out');
    await person.enter('Password', 'half of it');
    assert.equal(await isWarned(), false, 'they have signed out');
    await person.signIn(service.url, admin);
  });

  await t.test('sees which option is chosen where the system replaces colours', async () => {
    await person.go('#/new');
    const features = [{ name: 'forced-colors', value: 'active' }];
    await tab.send('Emulation.setEmulatedMedia', { features });
    await person.enter('Customer', 'a');
    await tab.until('document.querySelector("[role=option][aria-selected=true]")');
    for (const chosen of ['[role=option][aria-selected=true]', '.side [aria-current]'])
      assert.equal(
        await tab.evaluate(`getComputedStyle(document.querySelector('${chosen}')).outlineStyle`),
        'solid',
        chosen,
      );
  });

  /** Whether the browser would ask before it leaves the page. */
  async function isWarned(): Promise<boolean> {
    return tab.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
  }

  /** Waits until the browser asks whether to leave, and answers no. */
  async function stay(): Promise<void> {
    await until(() =>
      tab.send('Page.handleJavaScriptDialog', { accept: false }).then(
        () => true,
        () => false,
      ),
    );
  }

  /** As an administrator does who signs everybody out; `service.delete` ends all sessions of the account. */
  async function endSessions(): Promise<void> {
    await service.delete('/api/sessions', { token: await readToken() });
    await person.see('You have been signed out. Sign in to go on where you were.');
  }
});

/** A link to another program opens a question of the browser, which a headless one can’t answer. */
const openNothing = `document.querySelector('[href^=tel]').onclick = (event) => event.preventDefault()`;
