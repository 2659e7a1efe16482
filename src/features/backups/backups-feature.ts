// Backups as a feature: an administrator makes one without a terminal.
import type { Feature } from '../feature.ts';

export const backups: Feature = {
  name: 'backups',
  isCore: true,
  async load() {
    const { backupCommand, startOfProcess } = await import('./backup-command.ts');
    const { Backups, createBackupRoute, readBackupsRoute } = await import('./backup-routes.ts');
    return ({ config: { dataFolder }, stopping, log }) => {
      const command = backupCommand(startOfProcess(), dataFolder);
      const made = new Backups({ dataFolder, command, stopping, log });
      return {
        groups: [
          { invalidStatus: 400, routes: [readBackupsRoute(made)] },
          { invalidStatus: 422, routes: [createBackupRoute(made)] },
        ],
        close: () => made.ended(),
      };
    };
  },
};
