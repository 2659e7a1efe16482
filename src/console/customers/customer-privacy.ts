// A privacy request: all of one customer as a file, and the erasure of what is personal.
import { query } from '../parts/api-client.ts';
import type { Customer } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import { ask, notify } from '../parts/dialogs.ts';
import { h } from '../parts/elements.ts';
import { action } from '../parts/forms.ts';
import { saveFile } from '../parts/saved-file.ts';
import { t } from '../parts/texts.ts';
import type { Page, Reload } from '../parts/view.ts';

type Options = { readonly hasOrders: boolean; readonly reload: Reload };

export function privacyCard(page: Page, { id }: Customer, { hasOrders, reload }: Options): HTMLElement {
  const isAdmin = page.user.role === 'admin';
  const erase = (): Promise<void> => askToErase(page, id, reload);
  return card(
    t('Personal data'),
    hasOrders &&
      h(
        'p.soft',
        t('A customer with orders can’t be deleted: the orders stay for the books.'),
        !isAdmin && [' ', t('An administrator can erase what is personal.')],
      ),
    h(
      'div.buttons',
      action(t('Save all as a file'), () => saveCustomer(page, id)),
      hasOrders && isAdmin && action(t('Erase personal data …'), erase, { class: 'danger' }),
    ),
  );
}

/** The customer and all orders, as the API has them. */
async function saveCustomer({ client, signal }: Page, id: number): Promise<void> {
  const customer = await client.request('GET', `/customers/${id}`, { signal });
  const orders = await client.request('GET', `/orders?${query({ customerId: id, sort: 'id' })}`, {
    accept: 'application/x-ndjson',
    signal,
  });
  const lines = (await orders.text()).trimEnd().split('\n');
  const name = `customer-${id}.json`;
  saveFile(name, [`{"customer": ${await customer.text()},\n"orders": [\n${lines.join(',\n')}\n]}\n`]);
  notify(t('{name} was saved.', { name }));
}

async function askToErase({ client }: Page, id: number, reload: Reload): Promise<void> {
  const erased = t(
    'Name, e-mail address, phone number, address, note, own number and metadata; and of all their orders the addresses, notes and metadata.',
  );
  const kept = t('The orders with their items, sums and statuses, and the history.');
  const files = t(
    'In backups and saved files it stays until you delete them: an import of such a file brings it back.',
  );
  await ask({
    title: t('Erase the personal data of customer {id}?', { id }),
    content: [
      h('p', h('strong', t('Erased:')), ' ', erased),
      h('p', h('strong', t('Kept:')), ' ', kept),
      h('p', files),
      h('p', t('This can’t be taken back.')),
    ],
    submit: t('Erase'),
    isDangerous: true,
    async run() {
      await client.send('PUT', `/customers/${id}/erasure`);
      notify(t('Customer {id} has no personal data any more.', { id }));
      await reload();
    },
  });
}
