// The responses that are stored for an Idempotency-Key, as a feature. Cleanup removes them when they expire.
import type { Feature } from '../feature.ts';
import { idempotencyMigrations } from './idempotency-migrations.ts';

export const idempotency: Feature = {
  name: 'idempotency',
  isCore: true,
  migrations: idempotencyMigrations,
  async load() {
    const { removeExpiredResponses } = await import('./stored-response-store.ts');
    return ({ now }) => ({
      groups: [],
      cleanup: [(writer, rowsMax) => removeExpiredResponses(writer, rowsMax, now())],
    });
  },
};
