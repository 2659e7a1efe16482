// Sessions as a feature.
import type { Feature } from '../feature.ts';
import { sessionsMigrations } from './sessions-migrations.ts';

export const sessions: Feature = {
  name: 'sessions',
  isCore: true,
  tag: { name: 'Sessions', description: 'Signing in, staying signed in, signing out.' },
  migrations: sessionsMigrations,
  async load() {
    const { sessionRoutes } = await import('./session-routes.ts');
    const { removeExpiredSessions } = await import('./session-store.ts');
    const { removeOldNetworks } = await import('../users/known-network-store.ts');
    const { sessionCookieName } = await import('../../auth/session-cookie.ts');
    return (core) => ({
      groups: [
        {
          invalidStatus: 400,
          routes: sessionRoutes({
            ...core,
            cookieName: sessionCookieName(core.publicUrl),
            totpSecrets: core.sealedSecrets('totp'),
          }),
        },
      ],
      cleanup: [
        (writer, rowsMax) => removeExpiredSessions(writer, rowsMax, core.now()),
        (writer, rowsMax) => removeOldNetworks(writer, rowsMax, core.now()),
      ],
    });
  },
  async maintenance() {
    const { endSessionsOfAllUsers, sessionAudit } = await import('./session-store.ts');
    return {
      audits: [sessionAudit],
      onRestore(db) {
        endSessionsOfAllUsers(db);
        return ['All sessions have ended.'];
      },
    };
  },
};
