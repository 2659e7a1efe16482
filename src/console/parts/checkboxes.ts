// Checkboxes of which at least one has to be ticked.
import { h } from './elements.ts';
import { checkbox, throwIfInvalid } from './forms.ts';
import { t } from './texts.ts';

type Boxes<T extends string> = {
  readonly legend: string;
  /** The pointer of the list of values in the request: `/scopes`. */
  readonly pointer: string;
  readonly values: readonly T[];
  readonly label: (value: T) => string;
  /** Whether the box is ticked at first. */
  readonly isTicked: (value: T) => boolean;
};

type Checkboxes<T> = {
  readonly element: HTMLElement;
  /** Returns the values that are ticked. Without any it throws an issue that is shown below the boxes. */
  readonly read: () => T[];
};

export function checkboxes<T extends string>({
  legend,
  pointer,
  values,
  label,
  isTicked,
}: Boxes<T>): Checkboxes<T> {
  const id = `boxes-${crypto.randomUUID()}`;
  const boxes = values.map((value) => ({
    value,
    box: h('input', { type: 'checkbox', id: `${id}-${value}`, value, checked: isTicked(value) }),
  }));
  const rows = boxes.map(({ box, value }) => checkbox(box, label(value)));
  const element = h(
    'fieldset',
    { id, 'data-pointer': pointer },
    h('legend', {}, legend),
    h('div', { class: 'grid' }, rows),
    h('p', { class: 'issue', id: `${id}-issue`, role: 'alert' }),
  );
  function read(): T[] {
    const ticked = boxes.filter(({ box }) => box.checked).map(({ value }) => value);
    throwIfInvalid(ticked.length === 0 ? [{ pointer, detail: t('Tick at least one.') }] : []);
    return ticked;
  }
  return { element, read };
}
