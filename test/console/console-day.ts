// A shop's day in the console: signing in, a customer, an order and its steps, and somebody new.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { admin, type TestService } from '../support/service.ts';
import type { Hand, Person } from './console-actions.ts';

export async function shopDay(person: Person, service: TestService, hand: Hand): Promise<void> {
  await signInSecondTry(person, service);
  await addFirstCustomer(person);
  await placeOrderOnce(person, service, hand);
  await changeOrder(person);
  await processOrder(person);
  await orderAgainAndCancel(person);
  await person.go('#/day');
  await person.see('Refunded');
  await addStaffWithLostPassword(person, service);
}

async function signInSecondTry(person: Person, service: TestService): Promise<void> {
  const { tab } = person;
  await tab.open(`${service.url}/console`);
  await person.enter('E-mail', admin.email);
  await person.enter('Password', 'not the password');
  await person.press('Sign in');
  await person.see('Wrong e-mail address or password.');
  await person.signIn(service.url, admin);
  await person.press('Later');
  await person.see('No order is here yet');
}

/** With an issue beside its field. */
async function addFirstCustomer(person: Person): Promise<void> {
  const { tab } = person;
  await person.press('Enter a customer');
  await person.enter('Name', 'Grace Hopper');
  await person.enter('E-mail', 'grace');
  await person.press('Add customer');
  await person.see('E-mail');
  await tab.until('document.activeElement.ariaInvalid === "true"');
  await person.enter('E-mail', 'grace@example.com');
  await person.enter('Street and number', 'Ammerländer Heerstraße 114');
  await person.enter('Postal code', '26129');
  await person.enter('City', 'Oldenburg');
  await tab.evaluate('document.querySelector("[data-pointer=\\"/address/country\\"]").value = "DE"');
  await person.press('Add customer');
  await tab.until('location.hash === "#/customers/1"');
}

/** The customer is found while typing; the form is submitted twice. */
async function placeOrderOnce(person: Person, service: TestService, hand: Hand): Promise<void> {
  const { tab } = person;
  await person.press('New order');
  await person.enter('Customer', 'hopp');
  await tab.until('document.querySelector("[role=option][aria-selected=true]")');
  if (hand === 'keyboard') await tab.press('Enter');
  else await person.press('Grace Hopper');
  await tab.until(
    'document.querySelector("[data-pointer=\\"/shippingAddress/city\\"]").value === "Oldenburg"',
  );
  await person.enter('Item', 'Green tea, 250 g');
  await person.enter('Quantity', '2');
  await person.enter('Price', '7,49');
  await person.see('14.98');
  await tab.evaluate(
    'document.querySelector("form").requestSubmit(); document.querySelector("form").requestSubmit()',
  );
  await tab.until('location.hash === "#/orders/1"');
  await person.settle();
  const { token } = await service.signIn(admin.email, admin.password);
  assert.equal((await service.get('/orders?total=true', { token })).body.total, 1);
}

/** The customer wants one more, and a teapot. */
async function changeOrder(person: Person): Promise<void> {
  const { tab } = person;
  await person.press('Change');
  await person.enter('Quantity', '3');
  await person.press('Add item');
  await tab.until('document.activeElement.dataset.pointer === "/items/1/name"');
  await tab.type('Teapot');
  await person.press('Save');
  await person.see('Price is required.');
  await tab.until('document.activeElement.dataset.pointer === "/items/1/unitPrice"');
  await tab.type('39');
  await person.press('Save');
  await tab.until('location.hash === "#/orders/1"');
  await person.settle();
  await person.see('61.47');
}

/** From paid to refunded. */
async function processOrder(person: Person): Promise<void> {
  const { tab } = person;
  for (const [step, status] of [
    ['Paid: Card', 'Paid'],
    ['Mark as shipped', 'Shipped'],
    ['Mark as delivered', 'Delivered'],
  ] as const) {
    await person.press(step);
    await tab.until(`document.querySelector(".heading .pill").textContent === "${status}"`);
    await person.settle();
    await wait(750); // a second press would mean the first step
    // after the last step there is none to press next
    const place = `document.activeElement.closest("${status === 'Delivered' ? 'h1' : '.next'}")`;
    assert.notEqual(await tab.evaluate(`${place}?.localName ?? null`), null, 'the focus is not lost');
  }
  await person.press('Refund …');
  await person.enter('Reason', 'The pot arrived broken.');
  await person.press('Refund ');
  await person.see('The pot arrived broken.');
  await tab.until('document.querySelector(".heading .pill").textContent === "Refunded"');
}

async function orderAgainAndCancel(person: Person): Promise<void> {
  const { tab } = person;
  await person.press('Order again');
  await tab.until(
    'document.querySelector("[data-pointer=\\"/items/0/name\\"]")?.value === "Green tea, 250 g"',
  );
  await tab.until(
    'document.querySelector("[data-pointer=\\"/shippingAddress/city\\"]").value === "Oldenburg"',
  );
  await person.press('Place order');
  await tab.until('location.hash === "#/orders/2"');
  await person.press('Cancel order …');
  await person.press('Cancel the order');
  await tab.until('document.querySelector(".heading .pill").textContent === "Cancelled"');
}

/** An administrator adds them, and creates a new password. */
async function addStaffWithLostPassword(person: Person, service: TestService): Promise<void> {
  const { tab } = person;
  await person.go('#/people');
  await person.press('Add a person');
  await person.enter('Name', 'Till');
  await person.enter('E-mail', 'till@example.com');
  await person.press('Add');
  const first = await shownPassword(person);
  await person.press('Done');
  await person.press('Till');
  await person.press('New password …');
  await person.press('Create it');
  const second = await shownPassword(person);
  assert.notEqual(first, second);
  await person.press('Done');
  await person.settle();
  if (await tab.evaluate('innerWidth < 800')) await person.go('#/more');
  await person.press('Sign out');
  await tab.until('document.querySelector(".sign-in")');
  await person.signIn(service.url, { email: 'till@example.com', password: second });
  await person.press('Later'); // it isn't their own
  await person.see('Received today');
  assert.ok(!(await tab.evaluate<string>('document.body.innerText')).includes('Webhooks'));
}

async function shownPassword({ tab }: Person): Promise<string> {
  await tab.until('document.querySelector("dialog .secret code")');
  return tab.evaluate('document.querySelector("dialog .secret code").textContent');
}
