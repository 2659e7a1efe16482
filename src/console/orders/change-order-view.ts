// The form that changes an order: its items while it is open, its customer and delivery until it is shipped, and its
// note always.
import type { Order } from '../words/api-types.ts';
import type { Version } from '../service/api-client.ts';
import { concurrentEdit } from '../page/concurrent-edit.ts';
import { notify } from '../forms/dialogs.ts';
import { type Child, fill, h } from '../browser/elements.ts';
import { addressLines, money } from '../words/formats.ts';
import { throwIfInvalid } from '../forms/forms.ts';
import { statusName, stages } from '../words/statuses.ts';
import { t } from '../words/texts.ts';
import { goTo, setPageTitle, type Page, reloadable, skeleton } from '../page/view.ts';
import { type ChangedOrder, orderForm } from './order-form.ts';
import { readOrder } from './order-view.ts';

export function changeOrderView(page: Page): void {
  const { main, id } = page;
  const content = h('div.narrow', skeleton(8));
  fill(main, setPageTitle(t('Change order {id}', { id })), content);
  reloadable(page, content, { load: readVersion, draw: (known) => changeForm(page, known) });
}

async function readVersion(page: Page): Promise<Version<ChangedOrder>> {
  const { order, etag, customer = null } = await readOrder(page);
  return { value: { ...order, customer }, etag };
}

function changeForm(page: Page, known: Version<ChangedOrder>): Child {
  const { id, status } = known.value;
  const path = `/orders/${id}`;
  const back = h('a.button', { href: `#${path}` }, t('Cancel'));
  const fields = orderForm(page, {
    idempotencyKey: crypto.randomUUID(),
    changed: known.value,
    submit: t('Save'),
    others: back,
    async run(): Promise<void> {
      await fields.settle();
      throwIfInvalid(fields.issues(false));
      await fields.makeCustomer();
      await save();
      notify(t('Order {id} is changed.', { id }));
      goTo(page.scans.heldCount > 0 ? '/new' : path);
    },
  });
  const fixed = fixedMembers[stages[status].changes];
  const { news, save } = concurrentEdit<ChangedOrder>(page, {
    path,
    known,
    load: () => readVersion(page),
    read: () => ({ customerId: fields.customer.chosenId, ...fields.read() }),
    write: fields.write,
    shown: shownMembers.filter(({ name }) => !fixed.some((each) => each === name)),
    refusal(now, mine) {
      if (!fixedMembers[stages[now.status].changes].some((name) => Object.hasOwn(mine, name)))
        return undefined;
      back.textContent = t('Back');
      return t('Order {id} is {status} now. What you have changed can’t be changed any more.', {
        id,
        status: statusName(now.status),
      });
    },
  });
  fields.body.querySelector('.form-issue')?.before(news);
  fields.takeScans();
  return [fixed === fixedMembers.note && h('p.hint', onlyNote), fields.body];
}

const onlyNote = t('Only its note can be changed: it is no longer open or paid.');

const priceMembers = ['status', 'items', 'currency'];
/** What can't be changed any more, by what can. */
const fixedMembers = {
  all: [],
  delivery: priceMembers,
  note: [...priceMembers, 'customerId', 'shippingAddress'],
} as const;

const shownMembers = [
  { name: 'status', label: t('Status'), text: ({ status }: Order) => statusName(status) },
  { name: 'items', label: t('Items'), text: itemsInWords },
  {
    name: 'customerId',
    label: t('Customer'),
    text: ({ customerId }: Order) => t('number {id}', { id: customerId }),
  },
  {
    name: 'shippingAddress',
    label: t('Address'),
    text: ({ shippingAddress }: Order) =>
      shippingAddress === null ? t('picked up') : addressLines(shippingAddress).join(', '),
  },
  { name: 'note', label: t('Note'), text: ({ note }: Order) => note ?? t('none') },
];

function itemsInWords({ items, currency }: Order): string {
  const texts = items.map(
    ({ quantity, name, unitPrice }) => `${quantity} × ${name}, ${money(unitPrice, currency)}`,
  );
  return texts.join('; ');
}
