// All migrations, in order.
import type { Migration } from '../storage/migrate.ts';
import { migration0001 } from './0001-users-customers-orders.ts';
import { migration0002 } from './0002-fewer-writes-an-order.ts';

export const migrations: readonly Migration[] = [migration0001, migration0002];
