// Users as a feature, with suspensions and one-time codes, which every sign-in checks.
import { namesInEvents } from '../../resource/resource-members.ts';
import type { Feature } from '../feature.ts';
import { usersMigrations } from './users-migrations.ts';

const clockWasSet = 'The clock was set: generated passwords work for seven more days.';

export const users: Feature = {
  name: 'users',
  isCore: true,
  tag: { name: 'Users', description: 'People who sign in. `role` is `user`, `staff` or `admin`.' },
  migrations: usersMigrations,
  async load() {
    const { userRoutes } = await import('./user-routes.ts');
    const { suspensionRoutes } = await import('./suspension-routes.ts');
    const { totpRoutes } = await import('./totp-routes.ts');
    const { clearRemovedOwners } = await import('../../resource/owner-store.ts');
    const { redateInitialPasswords, sharedEmails } = await import('./user-store.ts');
    const { resealTotp } = await import('./totp-store.ts');
    const { removeAdminFile } = await import('./first-admin.ts');
    return (services) => {
      const { config, log, now, declared, sealedSecrets } = services;
      const totpSecrets = sealedSecrets('totp');
      const ofUsers = userRoutes({
        ...services,
        passwordMin: config.passwordMin,
        isRegistrationOpen: () => services.shop.inEffect.registration === 'open',
        onPasswordChange: (email) => removeAdminFile(config.dataFolder, email),
      });
      const routes = [
        ...ofUsers,
        ...suspensionRoutes(),
        ...totpRoutes({ passwords: services.passwords, totpSecrets }),
      ];
      return {
        groups: [{ invalidStatus: 400, routes }],
        start: () => sharedEmails(services.database.read).forEach((each) => log.write('warn', each)),
        cleanup: [
          clearRemovedOwners(declared.ownedTables),
          (writer, rowsMax) => resealTotp(writer, totpSecrets, rowsMax),
          (writer) => {
            const redated = redateInitialPasswords(writer, now());
            if (redated > 0) log.write('warn', clockWasSet);
            return 0;
          },
        ],
      };
    };
  },
  async maintenance() {
    const { suspensionAudit } = await import('./suspension-store.ts');
    const { totpAudit } = await import('./totp-store.ts');
    const { userMembers } = await import('./user.ts');
    const { hasAdmins, hasUsers, sharedEmails, userAudit } = await import('./user-store.ts');
    return {
      audits: [userAudit, suspensionAudit, totpAudit],
      checks: [
        {
          title: 'Administrators',
          run(db, report) {
            if (hasUsers(db) && !hasAdmins(db, 0))
              // also one whose password has expired
              report('There are users, but no administrator; "orderly admin create" creates one.');
          },
        },
      ],
      notes: sharedEmails,
      histories: [{ topic: 'user', table: 'users', members: namesInEvents(userMembers) }],
    };
  },
};
