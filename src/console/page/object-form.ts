// The form of one object, new or known.
import type { Version } from '../service/api-client.ts';
import { concurrentEdit, type Editor } from './concurrent-edit.ts';
import { ask } from '../forms/dialogs.ts';
import { type Fields, fieldsOf, type Member, textOfMember } from '../forms/fields.ts';
import { h } from '../browser/elements.ts';
import { throwIfInvalid } from '../forms/forms.ts';
import { t } from '../words/texts.ts';

type Values = Readonly<Record<string, unknown>>;

type ObjectForm<T> = {
  readonly members: readonly Member[];
  /** The path of the object, or of the list for a new object. */
  readonly path: string;
  /** The version that is changed. */
  readonly known?: Version<T>;
  /** Members of a new object that nobody enters. */
  readonly others?: Values;
  /** Whether the response has a secret: a repeated request wouldn't get it again. */
  readonly hasSecret?: true;
};

/** `save` resolves to the saved object. */
export function objectForm<T extends Values>(
  editor: Editor,
  { members, path, known, others = {}, hasSecret }: ObjectForm<T>,
): Pick<Fields, 'element'> & { readonly save: () => Promise<T> } {
  const fields = fieldsOf(members, { values: known?.value });
  const idempotencyKey = hasSecret === true ? {} : { idempotencyKey: crypto.randomUUID() };
  const add = async (): Promise<T> => {
    const body = { ...fields.read(), ...others };
    return (await editor.client.send<T>('POST', path, { ...idempotencyKey, body })).value;
  };
  const shown = members.map((member) => {
    return { name: member.name, label: member.label, text: (value: T) => textOfMember(member, value) };
  });
  const load = (): Promise<Version<T>> => editor.client.read<T>(path, editor.signal);
  const { news, save } =
    known === undefined
      ? { news: undefined, save: add }
      : concurrentEdit<T>(editor, { path, known, load, ...fields, shown });
  return {
    element: h('div', fields.element, news),
    save() {
      throwIfInvalid(fields.issues());
      return save();
    },
  };
}

type Question<T> = ObjectForm<T> & { readonly title: string; readonly submit?: string };

/** Resolves to the object once it is saved; to undefined if the dialog is closed. */
export async function askForObject<T extends Values>(
  editor: Editor,
  { title, submit, ...content }: Question<T>,
): Promise<T | undefined> {
  const closing = new AbortController();
  const end = (): void => closing.abort(new Error('closed'));
  editor.signal.addEventListener('abort', end);
  const { element, save } = objectForm<T>({ ...editor, signal: closing.signal }, content);
  const saved = await ask({
    title,
    content: element,
    submit: submit ?? (content.known === undefined ? t('Add') : t('Save')),
    run: save,
  });
  end();
  return saved;
}
