// What roles are called where they stand alone.
import type { Role } from '../parts/api-types.ts';
import { t } from '../parts/texts.ts';

export const roleNames: Readonly<Record<Role, string>> = {
  user: t('User'),
  staff: t('Staff'),
  admin: t('Administrator'),
};
