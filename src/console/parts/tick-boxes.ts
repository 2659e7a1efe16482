// Checkboxes of which at least one has to be ticked.
import { h } from './elements.ts';
import { checkboxRow, throwIfInvalid } from './forms.ts';
import { t } from './texts.ts';

type Boxes = {
  readonly legend: string;
  /** The pointer of the list of values in the request: `/scopes`. */
  readonly pointer: string;
  readonly values: readonly string[];
  readonly label: (value: string) => string;
  /** Whether the box is ticked at first. */
  readonly isTicked: (value: string) => boolean;
};

type TickBoxes = {
  readonly element: HTMLElement;
  /** Returns the values that are ticked. Without any it throws an issue that is shown below the boxes. */
  readonly read: () => string[];
};

export function tickBoxes({ legend, pointer, values, label, isTicked }: Boxes): TickBoxes {
  const id = `boxes-${crypto.randomUUID()}`;
  const boxes = values.map((value) =>
    h('input', { type: 'checkbox', id: `${id}-${value}`, value, checked: isTicked(value) }),
  );
  const rows = boxes.map((box) => checkboxRow(box, label(box.value)));
  const element = h(
    'fieldset',
    { id, 'data-pointer': pointer },
    h('legend', {}, legend),
    h('div', { class: 'grid' }, rows),
    h('p', { class: 'issue', id: `${id}-issue`, role: 'alert' }),
  );
  function read(): string[] {
    const ticked = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    throwIfInvalid(ticked.length === 0 ? [{ pointer, detail: t('Tick at least one.') }] : []);
    return ticked;
  }
  return { element, read };
}
