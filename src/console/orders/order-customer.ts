// The customer in the form of an order: one that is found while the user types, a new one with the name that was typed,
// who is made with the order, or nobody in particular, for what is sold over the counter.
import { query } from '../parts/api-client.ts';
import type { Customer, Issue, List } from '../parts/api-types.ts';
import { phoneText } from '../parts/contact-links.ts';
import type { FoundGroup } from '../parts/combobox.ts';
import { clearIssue, type Entered } from '../parts/forms.ts';
import { Rejection } from '../parts/request-errors.ts';
import { isBarcode, isLikeCode, sayUnhandled } from '../parts/scans.ts';
import { t } from '../parts/texts.ts';
import { customerSearch } from '../customers/customer-search.ts';
import { walkInName, walkInNames } from '../customers/customer-words.ts';
import { isToNobody, readDelivery, suggestAddress } from './order-delivery.ts';
import { changed, focusLine, type Pressed, say } from './order-lines.ts';
import type { Chosen, OrderForm } from './order-state.ts';

const foundMax = 8;

/** What a draft keeps for a new customer in place of an id. */
const newCustomer = 'new';

function textIn({ search }: OrderForm): string {
  return search.control.value.trim();
}

function chosenIn({ search, chosen }: OrderForm): Chosen | undefined {
  return chosen?.name === search.control.value ? chosen : undefined;
}

export function isChosen(form: OrderForm): boolean {
  return chosenIn(form) !== undefined;
}

/** Browsers dispatch no event for this: where the user has chosen, `changed` follows. */
export function chooseCustomer(form: OrderForm, customer: Chosen): void {
  form.chosen = customer;
  form.search.control.value = customer.name;
  clearIssue(form.search.control);
  form.search.close();
  suggestAddress(form, customer.address);
  form.draw();
}

function newNamed(name: string): Chosen {
  return { name, address: null };
}

export function drawCustomer(form: OrderForm): void {
  const chosen = chosenIn(form);
  const isNew = chosen !== undefined && chosen.id === undefined;
  form.contact.element.hidden = !isNew;
  const about = isNew ? t('A new customer, who gets the address below.') : detailsOf(chosen);
  say(form.about, about);
}

function detailsOf(chosen: Chosen | undefined): string {
  if (chosen?.id === undefined) return '';
  const { id, phone, email, address } = chosen;
  const details = [t('Customer {id}', { id }), phone && phoneText(phone), email, address?.city];
  return details.filter((each) => typeof each === 'string').join(' · ');
}

/** A customer who is chosen is kept by their number alone. */
export function customerEntered(form: OrderForm): Entered {
  const chosen = chosenIn(form);
  if (chosen === undefined) return {};
  if (chosen.id === undefined) return { customer: newCustomer };
  return { '/customerId': '', customer: String(chosen.id) };
}

/** Chooses again what a draft has kept. */
export function restoreCustomer(form: OrderForm, { customer, '/customerId': name }: Entered): void {
  if (customer === newCustomer && typeof name === 'string') chooseCustomer(form, newNamed(name));
  else if (typeof customer === 'string') void suggestCustomer(form, Number(customer));
}

/** Chooses the customer, unless another one was entered meanwhile. */
export async function suggestCustomer(form: OrderForm, id: number): Promise<void> {
  const found = await customerWith(form, id);
  if (found !== undefined && isToNobody(form)) chooseCustomer(form, found);
}

/** Chooses the customer of a card that was scanned. */
export async function scannedCustomer(form: OrderForm, id: number): Promise<void> {
  const found = await customerWith(form, id);
  if (found === undefined) return sayUnhandled(`C${id}`, 'unknown');
  chooseCustomer(form, found);
  changed(form.search.control);
}

function customerWith({ client }: OrderForm, id: number): Promise<Customer | undefined> {
  return client.get<Customer>(`/customers/${id}`).catch(() => undefined);
}

/** The customers who are found, and a new one of this name. */
export async function foundCustomers(
  form: OrderForm,
  q: string,
  signal: AbortSignal,
): Promise<readonly FoundGroup[]> {
  const search = customerSearch(form.client, foundMax, (customer) => {
    chooseCustomer(form, customer);
    changed(form.search.control);
    focusLine(form);
  });
  const found = await search(q, signal);
  const own = {
    id: 'new',
    name: t('New customer “{name}”', { name: q }),
    about: '',
    choose() {
      chooseCustomer(form, newNamed(q));
      changed(form.search.control);
      form.contact.element.querySelector('input')?.focus();
    },
  };
  return [{ label: t('Customers'), found: hasCode(form, q) ? found : [...found, own] }];
}

/** A code, also one that goes through the field of a customer who was chosen, is no name of a new one. */
function hasCode({ chosen }: OrderForm, q: string): boolean {
  if (chosen === undefined || !q.includes(chosen.name)) return isBarcode(q);
  return isBarcode(q) || isLikeCode(q.replace(chosen.name, '').trim());
}

/** Tab chooses like Enter, but waits for no answer. Enter never sends the form. */
export function pressedInCustomer(form: OrderForm, { key, shiftKey, active }: Pressed): boolean {
  if (key === 'Tab' && !shiftKey) {
    active?.choose();
    if (active === undefined) leave(form);
    return active !== undefined;
  }
  if (key !== 'Enter' || active !== undefined) return false;
  // a scanner doesn't wait for the answer with its next code
  const isLeft = isChosen(form) || isToNobody(form) || isLikeCode(textIn(form));
  if (!isLeft) return false;
  leave(form);
  focusLine(form);
  return true;
}

/** What is left in the field may be the number, phone or e-mail of one customer. */
function leave(form: OrderForm): void {
  if (isLikeCode(textIn(form))) form.left = resolveCustomer(form).catch(() => undefined); // the order says so
}

/** Chooses the only customer with this code; a name that nobody has is that of a new customer. */
async function resolveCustomer(form: OrderForm): Promise<void> {
  const q = textIn(form);
  if (q === '' || isChosen(form)) return;
  const { data } = await form.client.get<List<Customer>>(`/customers?${query({ q, limit: 2 })}`);
  if (textIn(form) !== q || isChosen(form)) return;
  const [found, ...others] = data;
  if (found === undefined && !isBarcode(q)) chooseCustomer(form, newNamed(q));
  if (found === undefined || others.length > 0 || !isLikeCode(q)) return;
  chooseCustomer(form, found);
  changed(form.search.control);
}

/** Shows who is found where somebody has to be chosen. */
export async function settleCustomer(form: OrderForm): Promise<void> {
  await form.left;
  await resolveCustomer(form);
  if (isToNobody(form) || isChosen(form)) return;
  form.search.control.focus();
  form.search.find();
}

export function customerIssues(form: OrderForm): Issue[] {
  if (isChosen(form)) return [];
  const detail = t('Choose a customer from the list, or enter the name of a new one.');
  return [{ pointer: '/customerId', detail }];
}

/** Returns the id of the chosen customer, or creates the new one, with the address of the delivery. */
export async function customerIdFor(form: OrderForm): Promise<number> {
  const chosen = chosenIn(form);
  if (chosen === undefined) return (await findOrAddWalkIn(form)).id;
  if (chosen.id !== undefined) return chosen.id;
  const body = { name: chosen.name, ...form.contact.read(), address: readDelivery(form) };
  const added = await addCustomer(form, body, 'customer');
  chooseCustomer(form, added);
  return added.id;
}

/** Begins to look for the customer of sales to nobody in particular, so that the sale needn’t wait. */
export function prepareWalkIn(form: OrderForm): void {
  form.walkIn = findWalkIn(form).catch(() => undefined); // the order says so
}

/**
 * Each seller has one; of two that were made at once, all tills find the older one. One of another owner, who
 * may rename it, is not taken.
 */
async function findOrAddWalkIn(form: OrderForm): Promise<Customer> {
  const known = (await form.walkIn) ?? (await findWalkIn(form));
  return known ?? (await addCustomer(form, { name: walkInName }, 'walk-in'));
}

async function findWalkIn({ client, userId }: OrderForm): Promise<Customer | undefined> {
  const paths = walkInNames.map((name) => `/customers?${query({ name, userId, sort: 'name' })}`);
  const found = await Promise.all(paths.map((path) => client.get<List<Customer>>(path)));
  const named = found.flatMap(({ data }) => data).filter(({ name }) => walkInNames.includes(name));
  return named.sort((a, b) => a.id - b.id)[0];
}

/** `kind` ends the key. A key that has made a customer with other details is left for the next one. */
async function addCustomer(form: OrderForm, body: object, kind: string): Promise<Customer> {
  const options = { idempotencyKey: `${form.idempotencyKey}-${kind}`, body };
  try {
    return (await form.client.send<Customer>('POST', '/customers', options)).value;
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    if (error.code === 'idempotency-key-reused') return addCustomer(form, body, `${kind}-next`);
    throw inForm(error);
  }
}

/** Points the issues at the form's fields, where the customer's address is that of the delivery. */
function inForm({ code, status, message: detail, issues }: Rejection): Rejection {
  const errors = issues.map((issue) => {
    const path = (issue.pointer ?? '').replace('#', '');
    const isAddress = path.startsWith('/address/');
    const own = path === '/name' ? '/customerId' : `/customer${path}`;
    return { ...issue, pointer: `#${isAddress ? path.replace('/address', '/shippingAddress') : own}` };
  });
  return new Rejection({ code, status, detail, errors });
}
