// The dialog that changes an order’s note, whatever the order’s status.
import type { Order } from '../parts/api-types.ts';
import { saverOf } from '../parts/conflicts.ts';
import { ask, notify } from '../parts/dialogs.ts';
import { h } from '../parts/elements.ts';
import { type Field, field, textOf } from '../parts/forms.ts';
import type { Page, Reload } from '../parts/view.ts';
import { t } from '../parts/texts.ts';

type NoteOptions = { readonly rows: number; readonly value?: string | null; readonly hint?: string };

const printed = t('It is printed on the packing slip.');

export function noteField({ rows, value = null, hint = printed }: NoteOptions): Field {
  const control = h('textarea', { rows, maxlength: 2_000 }); // as long as the service accepts
  return field({ label: t('Note'), pointer: '/note', isWide: true, control, value, hint });
}

type Shown = { readonly order: Order; readonly etag: string | undefined };

export async function changeNote({ client }: Page, { order, etag }: Shown, reload: Reload): Promise<void> {
  const note = noteField({
    rows: 4,
    value: order.note,
    hint: t('It is printed on the packing slip. Leave it empty for none.'),
  });
  const save = saverOf({
    changed: 'Somebody has changed {members} of this order meanwhile. Nothing was saved yet.',
    client,
    path: `/orders/${order.id}`,
    before: { value: order, etag },
    body: () => ({ note: textOf(note) }),
    idempotencyKey: crypto.randomUUID(),
    inWords: ({ note: text }) => [[t('note'), text ?? t('none')]],
  });
  await ask({
    title: t('Note of order {id}', { id: order.id }),
    content: note.row,
    submit: t('Save'),
    async run() {
      await save();
      notify(t('The note is saved.'));
      await reload();
    },
  });
}
