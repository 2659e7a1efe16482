// The form of one object, new or known. What somebody else has changed meanwhile is shown, fields that the user left
// alone take it over, and the next save goes.
import type { ApiClient } from './api-client.ts';
import { changedIn, saverOf, type Version } from './conflicts.ts';
import { ask } from './dialogs.ts';
import { type Fields, fieldsOf, type Member, textOfMember } from './fields.ts';
import { throwIfInvalid } from './forms.ts';
import { t } from './texts.ts';

type Values = Readonly<Record<string, unknown>>;

type ObjectForm<T> = {
  readonly members: readonly Member[];
  /** Of the object; of the list for a new one. */
  readonly path: string;
  /** The version that is changed. */
  readonly known?: Version<T>;
  /** What a new object gets beside what is entered. */
  readonly others?: Values;
  /** Whether the answer has a secret, which no repeated request can have again. */
  readonly hasSecret?: true;
};

/** `save` resolves to the object as it is then. */
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
  const save = known === undefined ? add : changer(client, { path, members, fields, known });
  return {
    element: fields.element,
    save() {
      throwIfInvalid(fields.issues());
      return save();
    },
  };
}

type Changing<T> = {
  readonly path: string;
  readonly members: readonly Member[];
  readonly fields: Fields;
  readonly known: Version<T>;
};

function changer<T extends Values>(
  client: ApiClient,
  { path, members, fields, known }: Changing<T>,
): () => Promise<T> {
  let before = fields.read();
  return saverOf<T>({
    client,
    path,
    before: known,
    body: () => changedIn(fields.read(), before),
    inWords: (value) => members.map((member) => [member.label, textOfMember(member, value)] as const),
    meet(now) {
      const mine = changedIn(fields.read(), before);
      fields.write(now);
      before = fields.read();
      fields.write(mine);
    },
  });
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
