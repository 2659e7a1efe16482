// The dialog that changes an order’s note, whatever the order’s status.
import type { Order } from './api-types.ts';
import { explainSavedBefore } from './conflicts.ts';
import { ask, notify } from './dialogs.ts';
import { h } from './elements.ts';
import { type Field, field, textOf } from './forms.ts';
import { Rejection } from './request-errors.ts';
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
  async function save(version: string | undefined): Promise<void> {
    const options = { body: { note: textOf(note) }, etag: version, idempotencyKey };
    await client.send('PATCH', path, options).catch(async (error: unknown) => {
      if (!(error instanceof Rejection && error.status === 412)) throw error;
      const now = await client.read<Order>(path);
      if (now.value.note !== order.note) throw new Error(changedMeanwhile(now.value));
      await save(now.etag); // something else of the order has changed
    });
  }
  await ask({
    title: `Note of order ${order.id}`,
    content: [
      note.row,
      h('p', { class: 'hint' }, 'It is printed on the packing slip. Leave it empty for none.'),
    ],
    submit: 'Save',
    async run() {
      await save(etag).catch(explainSavedBefore);
      notify('The note is saved.');
      await reload();
    },
  });
}

function changedMeanwhile({ note }: Order): string {
  const now = note === null ? 'It was removed.' : `It is now: “${note}”`;
  return `Somebody has changed the note meanwhile, so yours was not saved. ${now}`;
}
