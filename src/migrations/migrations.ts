// All migrations, in order.
import type { Migration } from '../storage/migrate.ts';
import { migration0001 } from './0001-users-customers-orders.ts';

export const migrations: readonly Migration[] = [migration0001];
