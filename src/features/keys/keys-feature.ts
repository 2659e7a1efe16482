// API keys as a feature.
import type { Feature } from '../feature.ts';
import { keysMigrations } from './keys-migrations.ts';

export const keys: Feature = {
  name: 'keys',
  isCore: true,
  tag: { name: 'API keys', description: 'Credentials for other programs.' },
  migrations: keysMigrations,
  async load() {
    const { keyRoutes } = await import('./key-routes.ts');
    return (services) => ({ groups: [{ invalidStatus: 400, routes: keyRoutes(services) }] });
  },
  async maintenance() {
    const { describeLiveKeys, keyAudit } = await import('./key-store.ts');
    return {
      audits: [keyAudit],
      onRestore(db) {
        const keys = describeLiveKeys(db, Date.now());
        if (keys.length === 0) return [];
        return ['These API keys are valid again, including any that were deleted after the backup:', ...keys];
      },
    };
  },
};
