// The status of an order, as a label and as a diagram of its path.
import type { ServiceEvent, Status } from '../parts/api-types.ts';
import { h, svg } from '../parts/elements.ts';
import { isFinal, nameOf, stages, usualWay } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';

export function pill(status: Status): HTMLElement {
  return h('span', { class: `pill ${status}` }, stages[status].name);
}

/** Draws the path of an order through its statuses, with the current one marked. */
export function statusPicture(status: Status, events: readonly ServiceEvent[]): SVGElement {
  const isEnded = isFinal(status);
  const steps = events.map(({ changes }) => [changes['status']].flat());
  const before = steps.find(([, to]) => to === status)?.[0];
  const reached = usualWay.findIndex((each) => each === (isEnded ? (before ?? 'open') : status));
  const x = (index: number): number => 30 + index * 92;
  const width = 2 * x(0) + x(usualWay.length - 1) + 4;
  const line = (index: number): SVGElement =>
    svg('path', {
      d: `M${x(index) + 8} 14H${x(index + 1) - 8}`,
      class: index < reached ? 'way done' : 'way',
    });
  const spot = (name: Status, index: number): SVGElement =>
    svg(
      'g',
      { class: index === reached && !isEnded ? 'here' : index <= reached && 'done' },
      svg('circle', { cx: x(index), cy: 14, r: 6 }),
      svg('text', { x: x(index), y: 40, 'text-anchor': 'middle' }, stages[name].name),
    );
  const label = t('Status: {status}', { status: stages[status].name });
  const end = svg('text', { x: 14, y: 62, class: 'end' }, t('Ended: {status}', { status: nameOf(status) }));
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${isEnded ? 68 : 48}`, class: 'states', role: 'img', 'aria-label': label },
    usualWay.slice(1).map((_, index) => line(index)),
    usualWay.map(spot),
    isEnded && end,
  );
}
