// The status of an order, as a label and as a diagram of its path.
import type { ServiceEvent, Status } from '../parts/api-types.ts';
import { h, svg } from '../parts/elements.ts';
import { nameOf, statusNames } from '../parts/formats.ts';
import { t } from '../parts/texts.ts';

export function pill(status: Status): HTMLElement {
  return h('span', { class: `pill ${status}` }, statusNames[status]);
}

/** Draws the path of an order through its statuses, with the current one marked. */
export function statusPicture(status: Status, events: readonly ServiceEvent[]): SVGElement {
  const way = ['open', 'paid', 'shipped', 'delivered'] as const;
  const isEnded = status === 'cancelled' || status === 'refunded';
  const steps = events.map(({ changes }) => [changes['status']].flat());
  const before = steps.find(([, to]) => to === status)?.[0];
  const reached = way.findIndex((each) => each === (isEnded ? (before ?? 'open') : status));
  const x = (index: number): number => 30 + index * 92;
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
      svg('text', { x: x(index), y: 40, 'text-anchor': 'middle' }, statusNames[name]),
    );
  const label = t('Status: {status}', { status: statusNames[status] });
  const end = svg('text', { x: 14, y: 62, class: 'end' }, t('Ended: {status}', { status: nameOf(status) }));
  return svg(
    'svg',
    { viewBox: `0 0 340 ${isEnded ? 68 : 48}`, class: 'states', role: 'img', 'aria-label': label },
    [0, 1, 2].map(line),
    way.map(spot),
    isEnded && end,
  );
}
