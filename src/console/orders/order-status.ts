// The status of an order, as a label and as its path.
import type { ServiceEvent, Status } from '../parts/api-types.ts';
import { type Child, h } from '../parts/elements.ts';
import { isFinal, nameOf, stages, usualWay } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';

export function pill(status: Status): HTMLElement {
  return h('span', { class: `pill ${status}` }, stages[status].name);
}

/** The path of an order through its statuses, with the current one marked. */
export function statusPath(status: Status, events: readonly ServiceEvent[]): Child {
  const isEnded = isFinal(status);
  const steps = events.map(({ changes }) => [changes['status']].flat());
  const before = steps.find(([, to]) => to === status)?.[0];
  const reached = usualWay.findIndex((each) => each === (isEnded ? (before ?? 'open') : status));
  const step = (name: Status, index: number): HTMLElement => {
    const isHere = index === reached && !isEnded;
    const attributes = {
      class: isHere ? 'here' : index <= reached && 'done',
      'aria-current': isHere && 'step',
    };
    return h('li', attributes, stages[name].name);
  };
  return [
    h('ol', { class: 'states' }, usualWay.map(step)),
    isEnded && h('p', { class: 'ended' }, t('Ended: {status}', { status: nameOf(status) })),
  ];
}
