// The codes that the form of an order takes: of products, which become items, and of customers' cards.
import type { CustomerChoice } from './customer-choice.ts';
import type { OrderFields } from './order-fields.ts';
import { cardIdOf, type Scans } from '../parts/scans.ts';

type OrderForm = { readonly choice: CustomerChoice; readonly fields: OrderFields };

/** To be called once the form is shown. */
export function takeScans(form: HTMLFormElement, scans: Scans, { choice, fields }: OrderForm): void {
  form.dataset['scans'] = '';
  form.addEventListener('scan', (event) => {
    const code = event instanceof CustomEvent ? String(event.detail) : '';
    const id = cardIdOf(code);
    if (form.dataset['scans'] === later) scans.hold(code);
    else if (id === undefined) fields.scanned(code);
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
