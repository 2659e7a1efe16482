// Signing out, which also drops the orders that are not placed yet: whoever has some is asked first.
import { ask } from '../forms/dialogs.ts';
import { h } from '../browser/elements.ts';
import { count } from '../words/formats.ts';
import { t } from '../words/texts.ts';
import type { App } from './view.ts';

/** `before` is done once nothing has to be asked any more. Rejects if the service can’t be reached. */
export async function signOut({ session, drafts }: App, before?: () => Promise<unknown>): Promise<void> {
  const run = async (): Promise<void> => {
    await before?.();
    await session.signOut();
    drafts.discardAll();
  };
  const { totals } = drafts;
  if (totals.length === 0) return run();
  const known = totals.filter((total) => total !== '');
  const lost = count(totals.length) + (known.length > 0 ? ` (${known.join(', ')})` : '');
  const text = t('New orders that are not placed yet and will be lost: {count}', { count: lost });
  const link = h('a', { href: '#/new' }, t('New order'));
  const question = { title: t('Sign out?'), submit: t('Sign out'), dismiss: t('Stay') };
  await ask({ ...question, isDangerous: true, content: [h('p', text), h('p', link)], run });
}
