// `orderly admin reset`: gives a user who can't sign in a new random password, and prints it once.
import type { CommandLine } from '../config.ts';
import { endSessionsOf } from '../resources/sessions/session-store.ts';
import { findUser, replaceUser } from '../resources/users/user-store.ts';
import { emailFlag, userIdOf, withExistingDatabase } from './beside-service.ts';
import type { Command } from './commands.ts';
import { randomPassword } from './first-admin.ts';
import { print } from './terminal.ts';

export const adminReset: Command = { summary: 'prints a new random password of a user once, and ends their sessions', operands: [], flags: [emailFlag], run };

async function run({ config, flags }: CommandLine): Promise<number> {
  return withExistingDatabase(config, async (db, hasher) => {
    const id = userIdOf(db.connection, String(flags['email']));
    const password = randomPassword(config.passwordMin);
    const passwordHash = await hasher.hash(password);
    const email = db.write((writer) => {
      const found = findUser(writer, 'everyone', id);
      if (found === undefined) return undefined;
      replaceUser(writer, id, found.user, passwordHash);
      endSessionsOf(writer, id, null);
      return found.user.email;
    });
    await print(`id: ${id}\nemail: ${email}\npassword: ${password}\nThe password is shown this once.`);
    return 0;
  });
}
