// `orderly admin create`: makes an administrator and prints a random password, once.
import { addUser } from '../resources/users/user-store.ts';
import { NewUser } from '../resources/users/user.ts';
import { check } from '../schema/schema.ts';
import type { CommandLine } from '../config.ts';
import { emailFlag, refuse, withDatabase } from './beside-service.ts';
import type { Command } from './commands.ts';
import { randomPassword } from './first-admin.ts';
import { print } from './terminal.ts';

export const adminCreate: Command = {
  summary: 'makes an administrator and prints a random password once', operands: [],
  flags: [emailFlag, { flag: 'name', value: 'NAME', help: 'how the administrator is called (Administrator)' }], run,
};

async function run({ config, flags }: CommandLine): Promise<number> {
  const { email = '', name = 'Administrator' } = flags;
  const user = { email: String(email), name: String(name), role: 'admin' as const };
  const password = randomPassword(config.passwordMin);
  refuse(check(NewUser, { ...user, password }));
  return withDatabase(config, async (db, hasher) => {
    const passwordHash = await hasher.hash(password);
    const id = db.write((writer) => addUser(writer, { ...user, passwordHash }, Date.now()));
    await print(`id: ${id}\nemail: ${user.email}\npassword: ${password}\nThe password is shown this once.`);
    return 0;
  });
}
