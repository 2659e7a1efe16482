// The console in German: a browser that prefers it shows it on every page, until English is chosen.
// Run: npm run check:console
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEnglish, preferGerman } from './console-german.ts';
import { openShop, openSignedIn } from './console-shop.ts';
import { admin } from '../support/service.ts';

/** Runs in the page: returns its texts but for what people typed and what is the same in all languages. */
const ownTexts = `(() => {
  const typed = '[dir="auto"], bdi, code, kbd, .brand, script, style, noscript, option';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [document.title];
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    const isOwn = parentElement.closest(typed) === null || parentElement.matches('h1 bdi');
    if (isOwn && data.trim() !== '') found.push(data.trim());
  }
  for (const each of document.querySelectorAll('[aria-label], [placeholder], [title]'))
    for (const name of ['aria-label', 'placeholder', 'title'])
      if (each.closest(typed) === null && each.hasAttribute(name)) found.push(each.getAttribute(name));
  return found;
})()`;

test('the console in German', { timeout: 180_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  await preferGerman(tab);
  await service.post('/webhooks', { token, body: { url: 'https://example.com/', types: ['order.paid'] } });
  await service.post('/products', {
    token,
    body: { name: 'Assam', sku: 'TEE-9', unitPrice: 749, currency: 'EUR' },
  });
  const leftIn = async (): Promise<string[]> => (await tab.evaluate<string[]>(ownTexts)).filter(isEnglish);

  await t.test('greets a browser that prefers it', async () => {
    await tab.open(`${service.url}/console`);
    await person.see('Anmelden');
    assert.equal(await tab.evaluate('document.documentElement.lang'), 'de');
    assert.deepEqual(await leftIn(), []);
    await person.enter('E-Mail', admin.email);
    await person.enter('Passwort', 'wrong');
    await person.press('Anmelden');
    await person.see('E-Mail-Adresse oder Passwort ist falsch.');
    await person.enter('Passwort', admin.password);
    await person.press('Anmelden');
    await person.see('Zu erledigen');
    await person.settle();
  });

  for (const hash of [
    '#/today',
    '#/day',
    '#/orders',
    '#/orders?status=open',
    '#/orders?q=nothing',
    '#/orders/1',
    '#/orders/1/change',
    '#/orders/7',
    '#/orders/7/change',
    '#/new',
    '#/customers',
    '#/customers/1',
    '#/customers/new',
    '#/customers/import',
    '#/products',
    '#/products/1',
    '#/products/import',
    '#/figures',
    '#/people',
    '#/people/2',
    '#/shop',
    '#/system',
    '#/webhooks/1',
    '#/account',
    '#/more',
    '#/nowhere',
  ])
    await t.test(`has no English on ${hash}`, async () => {
      await person.go(hash);
      assert.deepEqual(await leftIn(), []);
    });

  await t.test('writes times and money as Austria does', async () => {
    await person.go('#/orders/1');
    assert.match(await tab.evaluate('document.querySelector("tfoot td:last-child").textContent'), /^€\s\d/);
    assert.match(
      await tab.evaluate('document.querySelector("time").title'),
      /^\d\d\.\d\d\.\d{4}, \d\d:\d\d$/,
    );
  });

  await t.test('places an order and prints its slip', async () => {
    await person.go('#/new');
    await person.enter('Bezeichnung', 'Assam, lose');
    await person.enter('Preis', '12,50');
    await tab.press('F4');
    await person.see('Verkauft: ');
    await tab.evaluate('document.querySelector(".notice a").click()');
    await tab.until('/^#.orders.\\d+$/.test(location.hash)');
    await person.settle();
    await person.see('Laufkundschaft');
    const slip = 'document.querySelector(".sheet").textContent';
    assert.match(await tab.evaluate(slip), /^Lieferschein.*1 Stück$/s);
    assert.deepEqual(await leftIn(), []);
  });

  await t.test('has one minus sign, and says of a step that it marks the order', async () => {
    await service.patch('/orders/8', { token, body: { status: 'paid' } });
    await service.patch('/orders/8', { token, body: { status: 'refunded', reason: 'Broken.' } });
    await person.go('#/day');
    const texts = 'document.querySelector("main").innerText';
    await tab.until(`/−€/.test(${texts})`);
    assert.doesNotMatch(await tab.evaluate(texts), /-€/);
    await person.go('#/orders');
    await person.see('Als bezahlt …');
  });

  await t.test('reads in German why a step was taken back, whatever the language of who did it', async () => {
    await person.go('#/orders/6');
    await service.patch('/orders/7', {
      token,
      body: { status: 'shipped', reason: 'It was pressed by mistake.' },
    });
    await person.go('#/orders/7');
    await person.see('Versehentlich gedrückt.');
  });

  await t.test('says in German what has become of a webhook', async () => {
    await service.patch('/webhooks/1', { token, body: { status: 'paused' } });
    await person.go('#/today');
    await person.see('Status eingeschaltet → pausiert');
  });

  await t.test('says in German what is wrong in a form', async () => {
    await person.go('#/new');
    await person.press('Bestellung anlegen');
    await person.see('Wählen Sie einen Kunden aus der Liste');
    await person.enter('Bezeichnung', 'Assam');
    await person.enter('Preis', '12,50');
    await person.enter('Menge', '2000000');
    await tab.press('F4');
    await tab.until('/Menge: höchstens 1.000.000\\./.test(document.body.innerText)');
    await person.press('Von vorn beginnen');
    await tab.until(`document.querySelector('[data-pointer="/items/0/quantity"]')?.value === '1'`);
  });

  await t.test(
    'gives way to English on the account’s page, which finds the same walk-in customer',
    async () => {
      await person.go('#/account');
      await tab.evaluate(`{
      window.isOld = true;
      const control = document.querySelector('select[aria-label=Sprache]');
      control.value = 'en';
      setTimeout(() => control.dispatchEvent(new Event('change'))); // it reloads the page
    }`);
      await tab.until('!window.isOld && document.querySelector("main h1")');
      await person.see('My account');
      assert.equal(await tab.evaluate('document.documentElement.lang'), 'en');
      await person.go('#/new');
      await person.enter('Item', 'Assam');
      await person.enter('Price', '12,50');
      await tab.press('F4');
      await person.see('Sold: ');
      await tab.evaluate('document.querySelector(".notice a").click()');
      await tab.until('/^#.orders.\\d+$/.test(location.hash)');
      await person.see('Walk-in'); // as this language calls the customer that was made in German
      const { data } = (await service.get('/orders?limit=2&include=customer', { token })).body;
      assert.deepEqual(
        data.map(({ customer }: { customer: { name: string } }) => customer.name),
        ['Laufkundschaft', 'Laufkundschaft'],
      );
      assert.match(
        await tab.evaluate('document.querySelector("tfoot td:last-child").textContent'),
        /^€\s12,50$/,
      );
    },
  );
});

test(
  'German that was chosen in an English browser has addresses in Germany',
  { timeout: 60_000 },
  async (t) => {
    const { tab, person } = await openSignedIn(t);
    await tab.evaluate(`localStorage.setItem('orderly-language', 'de')`);
    await tab.send('Page.reload');
    await person.see('Abmelden');
    await person.go('#/customers/new');
    const country = `document.querySelector('[data-pointer="/address/country"]')`;
    await tab.until(country);
    assert.equal(await tab.evaluate(`${country}.value`), 'DE');
  },
);
