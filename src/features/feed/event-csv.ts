// Events as CSV: a row for each event, with its changes as JSON.
import { csvTime, type CsvTable } from '../../base/csv.ts';
import type { Event } from '../events/event.ts';

export const eventTable: CsvTable<Event> = {
  columns: [
    'id',
    'type',
    'createdAt',
    'subject',
    'actor.userId',
    'actor.keyId',
    'requestId',
    'reason',
    'changes',
  ],
  rowsOf({ id, type, createdAt, subject, actor, requestId, reason, changes }) {
    const { userId = null, keyId = null } = actor ?? {};
    return [
      [id, type, csvTime(createdAt), subject, userId, keyId, requestId, reason, JSON.stringify(changes)],
    ];
  },
};
