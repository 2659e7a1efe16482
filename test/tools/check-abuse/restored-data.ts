// Security 17, 18 and 21: what a restore brings back, and who owns its files.
import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder, preparedFolder, runCommand, startAbused } from './abused-service.ts';
import { ask } from './attack-client.ts';
import { notTried, type Row, type Target } from './attack.ts';

const otherUser = 65_534;

export async function restoredData(target: Target): Promise<Row[]> {
  return [await revived(target), await ownerOfRestored(target), await modes(target)];
}

async function revived(target: Target): Promise<Row> {
  const { token, sessionId } = target.people.owner;
  const folder = preparedFolder(target);
  const file = join(target.scratch, 'revived.backup');
  const before = await startAbused(target, { folder });
  const body = { name: 'to be deleted', scopes: ['orders:read'] };
  const made = await ask(before.port, 'POST', '/api/keys', { token, body });
  await runCommand(target, folder, ['backup', file]);
  await ask(before.port, 'DELETE', `/api/keys/${made.body.id}`, { token });
  await ask(before.port, 'DELETE', `/api/sessions/${sessionId}`, { token });
  await before.stop();
  const { output } = await runCommand(target, folder, ['restore', file, '--force']);
  const after = await startAbused(target, { folder });
  const bySession = await ask(after.port, 'GET', '/api/sessions', { token });
  const byKey = await ask(after.port, 'GET', '/orders?limit=1', { key: made.body.key });
  await after.stop();
  const mentions = /key/i.test(output) ? 'yes' : 'no';
  return {
    attack: '18 a restore revives',
    done: 'backup, sign-out and deletion of a key, restore',
    achieved: `old token ${bySession.status}, deleted key ${byKey.status}; command names keys: ${mentions}`,
  };
}

async function ownerOfRestored(target: Target): Promise<Row> {
  const attack = '17 restore as root';
  if (process.getuid?.() !== 0) return notTried(attack, 'this is not root');
  const folder = preparedFolder(target);
  const file = join(target.scratch, 'owned.backup');
  await runCommand(target, folder, ['backup', file]);
  for (const name of ['.', ...readdirSync(folder)]) chownSync(join(folder, name), otherUser, otherUser);
  await runCommand(target, folder, ['restore', file, '--force']);
  return {
    attack,
    done: `into a folder of user ${otherUser}`,
    achieved: `the database belongs to user ${statSync(join(folder, 'orderly.db')).uid}`,
  };
}

/** In a folder that the service creates, with the usual umask. */
async function modes(target: Target): Promise<Row> {
  const umask = process.umask(0o022);
  const folder = emptyFolder(target);
  chmodSync(join(folder, '..'), 0o755);
  const service = await startAbused(target, { folder }).finally(() => process.umask(umask));
  const found = ['.', ...readdirSync(folder)].map((name) => `${name} ${modeOf(join(folder, name))}`);
  await service.stop();
  return { attack: '21 modes', done: 'the data folder as the service makes it', achieved: found.join(', ') };
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
