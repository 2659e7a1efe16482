// The codes that the form of an order takes: of products, which become items, and of customers' cards.
import { h } from '../parts/elements.ts';
import type { CustomerChoice } from './customer-choice.ts';
import type { OrderFields } from './order-fields.ts';
import { cardIdOf, type Scans } from '../parts/scans.ts';

type OrderForm = { readonly choice: CustomerChoice; readonly fields: OrderFields };

/** Keeps what is scanned until the form is there, in its order. */
export function keepScans(scans: Scans): HTMLElement {
  const place = h('div', { 'data-scans': '' });
  place.addEventListener('scan', (event) => scans.hold(codeOf(event)));
  return place;
}

function codeOf(event: Event): string {
  return event instanceof CustomEvent ? String(event.detail) : '';
}

/** To be called once the form is shown. */
export function takeScans(form: HTMLFormElement, scans: Scans, { choice, fields }: OrderForm): void {
  form.dataset['scans'] = '';
  form.addEventListener('scan', (event) => {
    const code = codeOf(event);
    const id = cardIdOf(code);
    if (form.dataset['scans'] === later) scans.hold(code);
    else if (id === undefined) fields.lines.scanned(code);
    else void choice.scanned(id);
  });
  scans.deliver();
}

const later = 'later';

/** Sends the form. What is scanned meanwhile is for the next order, or for this one if it isn't placed. */
export async function holdScans(
  form: HTMLFormElement,
  scans: Scans,
  send: () => Promise<void>,
): Promise<void> {
  await scans.settled; // its keys are in some field
  form.dataset['scans'] = later;
  try {
    await send();
  } catch (error) {
    form.dataset['scans'] = '';
    scans.deliver();
    throw error;
  }
}
