// The status of an order, as a label and as its path.
import type { Status } from '../parts/api-types.ts';
import { h } from '../parts/elements.ts';
import { isFinal, stages, usualWay } from '../parts/statuses.ts';

export function pill(status: Status): HTMLElement {
  return h('span', { class: `pill ${status}` }, stages[status].name);
}

/** The path of an order through its statuses, with the current one marked; what ended it is no step of that path. */
export function statusPath(status: Status): HTMLElement {
  const step = (name: Status): HTMLElement => {
    const isHere = name === status;
    return h('li', { class: isHere && 'here', 'aria-current': isHere && 'step' }, stages[name].name);
  };
  return h('ol.states', (isFinal(status) ? [status] : usualWay).map(step));
}
