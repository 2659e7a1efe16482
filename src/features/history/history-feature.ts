// The events of one object as a feature.
import { eventsTag } from '../events/events-feature.ts';
import type { Feature } from '../feature.ts';

export const history: Feature = {
  name: 'history',
  tag: eventsTag,
  async load() {
    const { historyGroups } = await import('./history-routes.ts');
    return ({ lists }) => ({ groups: historyGroups(lists) });
  },
};
