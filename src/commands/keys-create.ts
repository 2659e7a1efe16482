// `orderly keys create`: makes an API key of a user and prints it once.
import type { CommandLine } from '../config.ts';
import { scopes, type Scope } from '../auth/access.ts';
import { addKey } from '../resources/keys/key-store.ts';
import { NewKey, expiryOf } from '../resources/keys/key.ts';
import { check } from '../schema/schema.ts';
import { emailFlag, refuse, userIdOf, withExistingDatabase } from './beside-service.ts';
import type { Command } from './commands.ts';
import { print } from './terminal.ts';

export const keysCreate: Command = {
  summary: 'makes an API key, good for a year, and prints it once', operands: [],
  flags: [
    emailFlag, { flag: 'name', value: 'NAME', help: 'what the key is for', isRequired: true },
    { flag: 'scopes', value: 'LIST', help: `what it may do, out of ${scopes.join(', ')}`, isRequired: true },
  ],
  run,
};

async function run({ config, flags }: CommandLine): Promise<number> {
  const wanted = { name: String(flags['name']), scopes: String(flags['scopes']).split(',') as Scope[] }; // checked in the next line
  refuse(check(NewKey, wanted));
  return withExistingDatabase(config, async (db) => {
    const now = Date.now();
    const made = db.write((writer) => addKey(writer, { ...wanted, userId: userIdOf(writer, String(flags['email'])), expiresAt: expiryOf(wanted, now) }, now));
    await print(`id: ${made.id}\nname: ${made.name}\nscopes: ${made.scopes.join(',')}\nexpires: ${made.expiresAt}\nkey: ${made.key}\nThe key is shown this once.`);
    return 0;
  });
}
