// Signing out, which also drops the orders that are not placed yet: whoever has some is asked first.
import { ask } from './dialogs.ts';
import { h } from './elements.ts';
import { count } from './formats.ts';
import { numbered, t } from './texts.ts';
import type { App } from './view.ts';

/** `before` is done once nothing has to be asked any more. Rejects if the service can’t be reached. */
export async function signOut({ session, drafts }: App, before?: () => Promise<unknown>): Promise<void> {
  const run = async (): Promise<void> => {
    await before?.();
    await session.signOut();
    drafts.discardAll();
  };
  const lost = drafts.count;
  if (lost === 0) return run();
  const one = 'A new order that is not placed yet will be lost.';
  const text = t(numbered(lost, one, '{count} new orders that are not placed yet will be lost.'), {
    count: count(lost),
  });
  const question = { title: t('Sign out?'), submit: t('Sign out'), dismiss: t('Stay') };
  await ask({ ...question, content: h('p', text), run });
}
