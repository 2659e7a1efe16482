// A user: what is sent and shown, and the rules of changing one.
import { isAdmin, roles, type Caller } from '../../auth/access.ts';
import { passwordFault } from '../../auth/password.ts';
import { Problem, forbidden, refuse } from '../../errors.ts';
import { stepUpSeconds } from '../../limits.ts';
import { email, id, line, readOnlyFaults, timestamp } from '../../schema/members.ts';
import {
  named,
  object,
  oneOf,
  optional,
  partial,
  string,
  type Infer,
  type Issue,
} from '../../schema/schema.ts';

const name = line(200, 'How the person is called.', 'Ada Lovelace');
const role = oneOf(roles, {
  description: 'What the user may do: `staff` see and move all orders, `admin` everything.',
});
const password = string({
  minLength: 8,
  maxLength: 128,
  pattern: '^[\\s\\S]*$',
  format: 'password',
  writeOnly: true,
  examples: ['correct horse battery staple'],
  description:
    '8–128 characters of any script; refused when it is on the list of common passwords, or equals the e-mail address or its local part.',
});

export const User = named('User', object({ id, name, email, role, createdAt: timestamp }));
export type User = Infer<typeof User>;

export const NewUser = named(
  'NewUser',
  object(
    { name, email, password, role: optional(role) },
    {
      examples: [
        { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple' },
      ],
    },
  ),
);

export const UserReplacement = named(
  'UserReplacement',
  object(
    {
      name,
      email,
      password: optional(password),
      role: optional(role),
      id: optional(id),
      createdAt: optional(timestamp),
    },
    {
      description:
        'A password left out stays, and so does a role. Read-only members may be sent as they are.',
      examples: [{ name: 'Ada King', email: 'ada@example.com' }],
    },
  ),
);
export type UserReplacement = Infer<typeof UserReplacement>;

export const UserPatch = named(
  'UserPatch',
  partial(UserReplacement, {
    description: 'A JSON Merge Patch (RFC 7396).',
    examples: [{ name: 'Ada King' }],
  }),
);

export const userSorts = [
  'id',
  '-id',
  'name',
  '-name',
  'email',
  '-email',
  'createdAt',
  '-createdAt',
] as const;
/** What a list of users can be asked for. */
export const userFilters = {
  role: optional(oneOf(roles)),
  email: optional(email),
  name: optional(line(200, 'The beginning of the name, without regard to case.', 'Ada')),
  sort: optional(oneOf(userSorts, { description: 'Descending with `-` in front; `id` if left out.' })),
};

/** Throws what speaks against the change. */
export function checkReplacement(
  current: User,
  wanted: UserReplacement,
  caller: Caller,
  now: number,
  passwordMin: number,
): void {
  const issues = readOnlyFaults(current, wanted, ['id', 'createdAt']);
  if (wanted.password !== undefined)
    issues.push(...passwordFaults(wanted.password, wanted.email, passwordMin));
  refuse(issues);
  if (wanted.role !== undefined && wanted.role !== current.role && !isAdmin(caller))
    throw forbidden('Only an administrator may change a role.');
  const isSensitive = wanted.password !== undefined || wanted.email !== current.email;
  if (isSensitive) checkStepUp(caller, current.id, now);
}

export function passwordFaults(password: string, email: string, passwordMin: number): Issue[] {
  const fault = passwordFault(password, email, passwordMin);
  return fault === undefined ? [] : [{ pointer: '/password', code: 'password', detail: fault }];
}

/** Contract section 4: changing one's own password or e-mail address needs a recent sign-in. */
function checkStepUp(caller: Caller, userId: number, now: number): void {
  if (caller.keyId !== null)
    throw new Problem(
      'insufficient-scope',
      'Passwords and e-mail addresses can’t be changed with an API key: sign in.',
    );
  if (caller.userId === userId && now / 1000 - caller.authTime > stepUpSeconds) {
    throw new Problem(
      'step-up-required',
      'Changing a password or an e-mail address needs a sign-in within the last 10 minutes: make a new session.',
    );
  }
}
