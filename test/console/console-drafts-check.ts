// What was entered and not sent yet, in a real browser: it survives a reload, a crash, another page and the end of a
// session, for its user alone, and a new order is placed once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin } from '../support/service.ts';
import { until } from '../support/storage-support.ts';
import { fieldAt, Person } from './console-actions.ts';
import { openSignedIn, ordersOf } from './console-shop.ts';

const stillHere = 'What you had entered is still here.';
const kept = `Object.keys(localStorage).filter((name) => name.startsWith('orderly-draft-'))`;
const isNew = `${fieldAt('/items/0/name')}?.value === '' && document.activeElement.role === 'combobox'`;
/** A link to another program opens a question of the browser, which a headless one can’t answer. */
const openNothing = `document.querySelector('[href^=tel]').onclick = (event) => event.preventDefault()`;

test('new orders that are not placed yet', { timeout: 300_000 }, async (t) => {
  const { service, office, tab, person } = await openSignedIn(t);
  await office.post('/products', { sku: 'POT', name: 'Teapot', unitPrice: 3900, currency: 'EUR' });
  /** Sessions of the administrator end here, so each request has one of its own. */
  const orders = async () => ordersOf(await service.root());
  const placed = async (): Promise<number> => (await orders()).count();
  async function begin(): Promise<void> {
    await person.go('#/new');
    await person.startOver();
    await tab.until(isNew);
  }

  await t.test('survive a reload with all that was entered, and the browser does not ask', async () => {
    await begin();
    await person.chooseCustomer('grace');
    await person.enter('Item', 'Gift wrap');
    await person.enter('Price', '1,5');
    await person.press('Add item');
    await tab.type('Ribbon');
    await person.enter('City', 'Bremen');
    await person.enter('Note', 'Ring twice.');
    await person.reload();
    await person.see(stillHere);
    for (const [pointer, value] of [
      ['/customerId', 'Grace Hopper'],
      ['/items/0/name', 'Gift wrap'],
      ['/items/0/unitPrice', '1,5'],
      ['/items/1/name', 'Ribbon'],
      ['/shippingAddress/city', 'Bremen'],
      ['/note', 'Ring twice.'],
    ] as const)
      await person.seeEntered(pointer, value);
    await person.press('Remove item 2');
    const before = await placed();
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    assert.equal(await placed(), before + 1);
    const { customerId, shippingAddress, note } = await (await orders()).newest();
    assert.deepEqual([customerId, Object(shippingAddress).city, note], [1, 'Bremen', 'Ring twice.']);
    assert.deepEqual(await tab.evaluate(kept), [], 'it is placed');
  });

  await t.test('keep a new customer, and a code whose answer was still to come', async () => {
    await begin();
    await tab.evaluate(`{
      const send = fetch;
      window.fetch = (path, options) =>
        String(path).startsWith('/products') ? new Promise(() => undefined) : send(path, options);
    }`);
    await tab.scan('pot');
    await person.reload();
    await person.see(stillHere);
    await person.seeEntered('/items/0/name', 'Teapot');
    await begin();
    await person.enter('Customer', 'Lise Meitner');
    await person.press('New customer “Lise Meitner”');
    await person.enter('E-mail', 'lise@example.com');
    await person.reload();
    await person.see('A new customer');
    await person.seeEntered('/customerId', 'Lise Meitner');
    await person.seeEntered('/customer/email', 'lise@example.com');
  });

  await t.test('of the version before are sent, if an address was typed', async () => {
    await begin();
    await person.enter('Customer', 'Ida Rhodes');
    await person.press('New customer “Ida Rhodes”');
    await person.check('Sent');
    await person.enter('City', 'Bremen');
    await tab.evaluate(`for (const name of ${kept})
      localStorage.setItem(name, localStorage.getItem(name).replace('"is-sent":true,', ''))`);
    assert.equal(await tab.evaluate(`${kept}.some((name) => /is-sent/.test(localStorage[name]))`), false);
    await person.reload();
    await person.see('A new customer, who gets the address below.');
    await person.seeEntered('/shippingAddress/city', 'Bremen');
  });

  await t.test('are placed once, even if the page was loaded again before the answer', async () => {
    await begin();
    await person.enter('Customer', 'Emmy Noether');
    await person.enter('Item', 'Gift wrap');
    await person.enter('Price', '1,5');
    await person.check('Picked up');
    const before = await placed();
    await tab.evaluate(`{
      const send = fetch;
      window.fetch = async (path, options) => {
        const response = await send(path, options);
        if (path !== '/orders') return response;
        window.isAnswered = true;
        return new Promise(() => undefined);
      };
    }`);
    await person.press('Place order');
    await tab.until('window.isAnswered');
    await person.reload();
    await person.see('It was sent, and may have been placed: see Orders first.');
    await tab.evaluate('document.querySelector(".notice a").click()');
    await tab.until('location.hash === "#/orders"');
    await tab.evaluate('history.back()');
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    assert.equal(await placed(), before + 1);
    const found = await (await service.root()).get('/customers?q=Noether');
    assert.equal(found.body.data.length, 1);
  });

  await t.test('are not in the way of a second tab, which has its own', async () => {
    await begin();
    await person.enter('Item', 'Of the first tab');
    const second = await tab.another();
    const other = new Person(second, 'mouse');
    await second.screen(1280, 'light');
    await second.open(`${service.url}/console#/new`);
    await second.until(isNew);
    await other.enter('Item', 'Of the second tab');
    await person.reload();
    await person.see(stillHere);
    await person.seeEntered('/items/0/name', 'Of the first tab');
    await second.send('Page.close');
    await begin();
    await person.reload();
    await person.seeEntered('/items/0/name', 'Of the second tab');
    await begin();
    assert.deepEqual(await tab.evaluate(kept), [], 'they were given up');
  });

  await t.test('of a customer’s page are not those of another customer', async () => {
    await person.go('#/new?customer=1');
    await person.enter('Item', 'For Grace');
    await person.reload();
    await person.seeEntered('/items/0/name', 'For Grace');
    await person.go('#/new?customer=2');
    await person.seeEntered('/customerId', 'Ada Lovelace');
    assert.equal(await person.valueOf('/items/0/name'), '');
    await person.go('#/new?customer=1');
    await begin();
  });

  await t.test('go after thirty days, and where what was typed is deleted again', async () => {
    await begin();
    await person.enter('Item', 'Old');
    await tab.evaluate(`for (const name of ${kept}) {
      const draft = JSON.parse(localStorage.getItem(name));
      localStorage.setItem(name, JSON.stringify({ ...draft, savedAt: Date.now() - 31 * 86_400_000 }));
    }`);
    await person.reload();
    await tab.until(isNew);
    assert.deepEqual(await tab.evaluate(kept), []);
    await person.enter('Customer', 'g');
    await tab.evaluate('document.execCommand("delete")');
    await person.enter('Item', 'Ribbon');
    await tab.press('Enter');
    await tab.type('2');
    await tab.press('Enter');
    await tab.until('document.querySelectorAll(".line").length === 2');
    for (const label of ['Price', 'Item']) {
      await person.enter(label, 'x');
      await tab.evaluate('document.execCommand("delete")');
    }
    assert.deepEqual(await tab.evaluate(kept), []);
    await person.go('#/today');
    await person.go('#/new');
    await tab.until(isNew);
    await person.miss('still here');
  });

  await t.test('are not shown to somebody else who signs in, and wait for their own user', async () => {
    const till = await service.person('staff', 'Second till');
    await begin();
    await person.enter('Item', 'Of the administrator');
    await (await service.root()).delete('/api/sessions');
    await person.see('You have been signed out.');
    await person.enter('E-mail', till.email);
    await person.enter('Password', till.password);
    await person.press('Sign in');
    await tab.until('document.querySelector(".account")?.textContent.includes("Second till")');
    await person.go('#/new');
    await tab.until(isNew);
    await person.press('Sign out');
    await person.see('Password');
    await person.signIn(service.url, admin);
    await person.go('#/new');
    await person.see(stillHere);
    await person.seeEntered('/items/0/name', 'Of the administrator');
  });

  await t.test('end with their user’s session if the user signs out, who is asked first', async () => {
    for (const [hash, press] of [
      ['#/account', 'Sign out everywhere'],
      ['#/new', 'Sign out'],
    ] as const) {
      await person.go(hash);
      await person.press(press);
      await person.see('New orders that are not placed yet and will be lost: 1');
      await person.press('Stay');
    }
    assert.equal(await person.valueOf('/items/0/name'), 'Of the administrator');
    await person.press('Sign out');
    await tab.until('document.querySelector("dialog[open]")');
    await person.press('Sign out');
    await person.see('Password');
    assert.deepEqual(await tab.evaluate(kept), []);
    await person.signIn(service.url, admin);
    await person.go('#/new');
    await tab.until(isNew);
  });
});

test('what was entered in other forms', { timeout: 300_000 }, async (t) => {
  const { service, tab, person } = await openSignedIn(t);
  /** Whether the browser would ask before it leaves the page. */
  const isWarned = (): Promise<boolean> =>
    tab.evaluate(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
  /** As an administrator does who signs everybody out. */
  async function endSessions(): Promise<void> {
    await (await service.root()).delete('/api/sessions');
    await person.see('You have been signed out. Sign in to go on where you were.');
  }

  await t.test('is kept, as the whole page is, while its user signs in again', async () => {
    await person.go('#/new?customer=1');
    await person.enter('Item', 'Tea');
    await person.enter('Price', '7,49');
    await endSessions();
    assert.doesNotMatch(await tab.evaluate('document.body.innerText'), /Order|Tea/);
    await person.enter('Password', admin.password);
    await person.press('Sign in');
    await person.seeEntered('/items/0/unitPrice', '7,49');
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    await person.go('#/orders/1');
    await ordersOf(await service.root()).change(1, { note: 'Still live.' });
    await person.see('Still live.');
  });

  await t.test('is kept in a question that was open, and warned of until that is closed', async () => {
    await person.go('#/customers/1');
    await person.press('Change');
    assert.equal(await isWarned(), false, 'nothing was entered');
    await person.enter('Phone', '+4944155555');
    await endSessions();
    await tab.until('!document.querySelector("dialog")');
    await person.enter('Password', admin.password);
    assert.equal(await isWarned(), true, 'it is still there after signing in');
    await person.press('Sign in');
    await tab.until('document.querySelector("dialog:modal")');
    await person.press('Save');
    await person.see('+49 441 55555');
    await person.press('Change');
    await person.enter('Phone', '+4944166666');
    assert.equal(await isWarned(), true);
    await person.press('Cancel');
    await tab.until('!document.querySelector("dialog")');
    assert.equal(await isWarned(), false, 'it was given up');
  });

  await t.test('is warned of before a reload would lose it, also on another page', async () => {
    await person.go('#/customers/new');
    assert.equal(await isWarned(), false, 'nothing was entered');
    await person.enter('Name', 'Emmy Noether');
    await tab.send('Page.reload');
    await until(() =>
      tab.send('Page.handleJavaScriptDialog', { accept: false }).then(
        () => true,
        () => false,
      ),
    );
    assert.equal(await person.valueOf('/name'), 'Emmy Noether');
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

  await t.test('is not warned of once it is deleted again, or its user has signed out', async () => {
    await person.go('#/customers/new');
    await tab.evaluate('document.querySelectorAll(".notice").forEach((each) => each.remove())');
    await person.enter('Phone', '1');
    assert.equal(await isWarned(), true);
    await tab.evaluate('document.execCommand("delete")');
    assert.equal(await isWarned(), false);
    await person.go('#/customers');
    await person.go('#/customers/new');
    await person.miss('still here');
    await person.enter('Name', 'Nobody');
    assert.equal(await isWarned(), true);
    await person.press('Sign out');
    await person.enter('Password', 'half of it');
    assert.equal(await isWarned(), false, 'they have signed out');
  });
});
