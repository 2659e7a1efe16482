// Events as a feature: each change records an event. Cleanup removes old events if a setting says so.
import { dayMilliseconds } from '../../base/durations.ts';
import type { Tag } from '../../openapi/openapi.ts';
import type { Feature } from '../feature.ts';
import { eventsMigrations } from './events-migrations.ts';

/** The section of the documents for the features that show events. */
export const eventsTag: Tag = {
  name: 'Events',
  description: 'What happened: of one object, or all of it in order.',
};

export const events: Feature = {
  name: 'events',
  isCore: true,
  migrations: eventsMigrations,
  async load() {
    const { removeOldEvents } = await import('./event-store.ts');
    return ({ config, now }) => {
      if (config.eventsDays === 0) return { groups: [] };
      const oldest = (): number => now() - config.eventsDays * dayMilliseconds;
      return { groups: [], cleanup: [(writer, rowsMax) => removeOldEvents(writer, rowsMax, oldest())] };
    };
  },
  async maintenance() {
    const { eventAudit } = await import('./event-store.ts');
    const { beginFeedEpoch } = await import('./feed-store.ts');
    const { auditEventIds } = await import('./history-audit-store.ts');
    return {
      audits: [eventAudit],
      checks: [{ title: 'Ids of events', run: auditEventIds }],
      onRestore(db) {
        beginFeedEpoch(db);
        return [];
      },
    };
  },
};
