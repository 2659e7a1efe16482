// The form of one object, new or known.
import type { ApiClient } from './api-client.ts';
import { saverOf, type Version } from './conflicts.ts';
import { ask } from './dialogs.ts';
import { type Fields, fieldsOf, type Member, textOfMember } from './fields.ts';
import { throwIfInvalid } from './forms.ts';
import { t } from './texts.ts';

type Values = Readonly<Record<string, unknown>>;

type ObjectForm<T> = {
  readonly members: readonly Member[];
  /** The path of the object, or of the list for a new object. */
  readonly path: string;
  /** The version that is changed. */
  readonly known?: Version<T>;
  /** What a new object gets beside what is entered. */
  readonly others?: Values;
  /** Whether the answer has a secret, which no repeated request can have again. */
  readonly hasSecret?: true;
};

/** `save` resolves to the saved object. */
export function objectForm<T extends Values>(
  client: ApiClient,
  { members, path, known, others = {}, hasSecret }: ObjectForm<T>,
): Pick<Fields, 'element'> & { readonly save: () => Promise<T> } {
  const fields = fieldsOf(members, { values: known?.value });
  const idempotencyKey = hasSecret === true ? {} : { idempotencyKey: crypto.randomUUID() };
  const add = async (): Promise<T> => {
    const body = { ...fields.read(), ...others };
    return (await client.send<T>('POST', path, { ...idempotencyKey, body })).value;
  };
  const inWords = (value: T) => members.map((member) => [member.label, textOfMember(member, value)] as const);
  const save = known === undefined ? add : saverOf<T>({ client, path, known, ...fields, inWords });
  return {
    element: fields.element,
    save() {
      throwIfInvalid(fields.issues());
      return save();
    },
  };
}

type Question<T> = ObjectForm<T> & { readonly title: string; readonly submit?: string };

/** Resolves to the object once it is saved; to undefined if the dialog is closed. */
export function askForObject<T extends Values>(
  client: ApiClient,
  { title, submit, ...content }: Question<T>,
): Promise<T | undefined> {
  const { element, save } = objectForm<T>(client, content);
  return ask({
    title,
    content: element,
    submit: submit ?? (content.known === undefined ? t('Add') : t('Save')),
    run: save,
  });
}
