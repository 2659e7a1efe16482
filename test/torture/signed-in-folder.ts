// Data folders for services that are killed soon, with an administrator who is signed in already; and what the next
// service finds in them.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { serviceFor, type Person, type TestService } from '../support/service.ts';

/** With them, a token is for the service on any port. */
export const settings = { 'public-url': 'https://orders.example.com' };

/**
 * Makes the folder in this process, where passwords are hashed cheaply: a first start of a process and a
 * sign-in there take longer than most tests of what comes after.
 */
export async function signedInFolder(
  folder: string,
  prepare: (service: TestService, root: Person) => Promise<void> = async () => {},
): Promise<Person> {
  const service = await serviceFor({ after: () => {} }, { folder, settings });
  try {
    service.clock.now = Date.now(); // a process would take tokens of the frozen time for expired ones
    const root = await service.signIn(service.admin.email, service.admin.password);
    await prepare(service, root);
    return root;
  } finally {
    await service.stop();
  }
}

/** The notes of all orders, in the order of their ids, once a service has started on the folder and ended. */
export async function notesIn(folder: string): Promise<unknown[]> {
  const service = await serviceFor({ after: () => {} }, { folder, settings });
  await service.stop();
  using database = new DatabaseSync(join(folder, 'orderly.db'), { readOnly: true });
  const rows = database.prepare('SELECT note FROM orders ORDER BY id').all();
  return rows.map(({ note }) => note);
}
