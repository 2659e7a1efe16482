// All events in order as a feature: pages, files and streams.
import { eventsTag } from '../events/events-feature.ts';
import type { Feature } from '../feature.ts';

export const feed: Feature = {
  name: 'feed',
  tag: eventsTag,
  async load() {
    const { followEventsRoute } = await import('./feed-routes.ts');
    const { LiveFeed } = await import('./live-feed.ts');
    return (services) => {
      const live = new LiveFeed(services);
      return {
        groups: [{ invalidStatus: 422, routes: [followEventsRoute({ ...services, live })] }],
        metrics: () => live.families(),
        onDurableChanges: () => live.onDurableChanges(),
        close: () => live.close(),
      };
    };
  },
};
