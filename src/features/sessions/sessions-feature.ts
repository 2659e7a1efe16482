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
    return (services) => ({
      groups: [
        {
          invalidStatus: 400,
          routes: sessionRoutes({
            ...services,
            cookieName: sessionCookieName(services.publicUrl),
            totpSecrets: services.sealedSecrets('totp'),
          }),
        },
      ],
      cleanup: [
        (writer, rowsMax) => removeExpiredSessions(writer, rowsMax, services.now()),
        (writer, rowsMax) => removeOldNetworks(writer, rowsMax, services.now()),
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
