// The dialog that changes an order’s note, whatever the order’s status.
import type { Order } from './api-types.ts';
import { explainSavedBefore, saverOf } from './conflicts.ts';
import { ask, notify } from './dialogs.ts';
import { h } from './elements.ts';
import { type Field, field, textOf } from './forms.ts';
import type { Page, Reload } from './view.ts';

export function noteField(options: { readonly rows: number; readonly value?: string | null }): Field {
  const control = h('textarea', { rows: options.rows, maxlength: 2_000 }); // as long as the service accepts
  return field({ label: 'Note', pointer: '/note', isWide: true, control, value: options.value ?? null });
}

type Shown = { readonly order: Order; readonly etag: string | undefined };

export async function changeNote({ client }: Page, { order, etag }: Shown, reload: Reload): Promise<void> {
  const path = `/orders/${order.id}`;
  const idempotencyKey = crypto.randomUUID();
  const note = noteField({ rows: 4, value: order.note });
  const save = saverOf({
    what: 'order',
    before: { value: order, etag },
    load: () => client.read<Order>(path),
    send: (version) =>
      client.send('PATCH', path, { body: { note: textOf(note) }, etag: version, idempotencyKey }),
    inWords: ({ note: text }) => [['note', text ?? 'none']],
  });
  await ask({
    title: `Note of order ${order.id}`,
    content: [
      note.row,
      h('p', { class: 'hint' }, 'It is printed on the packing slip. Leave it empty for none.'),
    ],
    submit: 'Save',
    async run() {
      await save().catch(explainSavedBefore);
      notify('The note is saved.');
      await reload();
    },
  });
}
