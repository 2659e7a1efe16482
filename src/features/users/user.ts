// A user: the schemas of requests and responses, and the rules of changes.
import { checkStepUp, isAdmin, roles, type Caller, type Role } from '../../auth/access.ts';
import { passwordIssue } from '../../auth/password.ts';
import { forbidden, throwIfInvalid } from '../../problem.ts';
import {
  contentReader,
  postedIn,
  readOnlyNames,
  sentIn,
  shownIn,
  type ContentOf,
} from '../../resource/resource-members.ts';
import { identity, times } from '../../resource/usual-members.ts';
import { email, sentEmail, directionIssue, readOnlyIssues, singleLine } from '../../schema/members.ts';
import { fits } from '../../schema/schema-check.ts';
import {
  named,
  object,
  oneOf,
  optional,
  partial,
  ruleFor,
  string,
  type Infer,
  type Issue,
} from '../../schema/schema.ts';
import * as column from '../../storage/table.ts';

const name = singleLine(200, 'The person’s name.', 'Ada Lovelace');
const sentName = singleLine(200, 'The person’s name.', 'Ada Lovelace', directionIssue);
const role = named(
  'Role',
  oneOf(roles, {
    description: 'What a user may do: `staff` may read and process all orders, `admin` may do everything.',
  }),
);
const password = string({
  minLength: 8,
  maxLength: 128,
  format: 'password',
  writeOnly: true,
  examples: ['correct horse battery staple'],
  description:
    '8–128 characters of any script (a service may require more than 8); rejected if it is one of the 3,000 ' +
    'most common passwords or made only of the name, the e-mail address or the service’s name, with or without ' +
    'digits and punctuation, or at most 12 repetitions of one character or neighbours on a keyboard.',
});

const currentPassword = string({
  minLength: 1,
  maxLength: 128,
  pattern: '^[\\s\\S]*$',
  format: 'password',
  writeOnly: true,
  examples: ['correct horse battery staple'],
  description: 'The current password, required with a new one of one’s own. Checking it counts as a sign-in.',
});

/** The members of a user that responses show, each declared once (`resource/resource-members.ts`). */
export const userMembers = {
  ...identity,
  name: { shown: name, sent: sentName, column: column.textColumn() },
  email: { shown: email, sent: sentEmail, column: column.textColumn() },
  role: { shown: role, sent: optional(role), column: column.textColumn<Role>(), hasValuesInEvents: true },
  createdAt: times.createdAt,
};

export const User = named('User', object(shownIn(userMembers)));
export type User = Infer<typeof User>;

const newUserMembers = { ...postedIn(userMembers), password };
const replacementMembers = {
  ...sentIn(userMembers),
  password: optional(password),
  currentPassword: optional(currentPassword),
};

export type UserPatch = Infer<ReturnType<typeof userBodies>['UserPatch']>;

/** Returns the schemas of bodies, for a service whose passwords have at least this many characters. */
export function userBodies(passwordMin: number) {
  const rules = [
    ruleFor({ password: optional(password) }, (sent) => sentPasswordIssues(sent, nobody, passwordMin)),
  ];
  const example = {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    password: 'correct horse battery staple',
  };
  const NewUser = named('NewUser', object(newUserMembers, { examples: [example] }, rules));
  const replacement = {
    description:
      'An omitted password or role stays. Read-only members may be sent with their current values.',
    examples: [{ name: 'Ada King', email: 'ada@example.com' }],
  };
  const UserReplacement = named('UserReplacement', object(replacementMembers, replacement, rules));
  const patch = { description: 'A JSON Merge Patch (RFC 7396).', examples: [{ name: 'Ada King' }] };
  const UserPatch = named('UserPatch', partial(UserReplacement, patch));
  return { NewUser, UserReplacement, UserPatch };
}

const nobody = { name: '', email: '' };

/** The members that a change may set, without the password. */
export type UserContent = ContentOf<typeof userMembers>;

const contentOf = contentReader(userMembers);
const readOnly = readOnlyNames(userMembers);

type ChangeContext = { readonly caller: Caller; readonly passwordMin: number; readonly now: number };

/**
 * Merges a body into the current user. Absent members stay as they are; a PUT always has a name and an e-mail
 * address. Throws the issues of the body, or a problem if the caller may not make this change.
 */
export function mergeUser(
  current: User,
  body: UserPatch,
  { caller, passwordMin, now }: ChangeContext,
): UserContent {
  const issues = readOnlyIssues(current, body, readOnly);
  issues.push(...sentPasswordIssues(body, current, passwordMin));
  const isSentByKey = caller.keyId !== null; // a key that sends a new password is rejected for its scope
  if (!isSentByKey || body.password === undefined)
    issues.push(...currentPasswordIssues(body, caller.userId === current.id));
  throwIfInvalid(issues);
  const wanted = contentOf({ ...current, ...body });
  if (wanted.role !== current.role) checkMayGiveRole(caller, now);
  if (body.password !== undefined) checkStepUp(caller, now, 'Changing a password');
  if (wanted.email !== current.email) checkStepUp(caller, now, 'Changing an e-mail address');
  return wanted;
}

/** Throws if the caller may not change a user's role, or create a user with a role other than `user`. */
export function checkMayGiveRole(caller: Caller | undefined, now: number): void {
  if (caller === undefined || !isAdmin(caller)) throw forbidden('Only an administrator may assign a role.');
  checkStepUp(caller, now, 'Assigning a role');
}

/** Returns the issues of `currentPassword`: callers who change their own password must send it, others must not. */
function currentPasswordIssues({ password, currentPassword }: UserPatch, isTheirOwn: boolean): Issue[] {
  const isNeeded = isTheirOwn && password !== undefined;
  if (isNeeded === (currentPassword !== undefined)) return [];
  if (isNeeded) return [currentPasswordIssue('required', 'currentPassword is required with a new password.')];
  const detail = 'currentPassword is only accepted with a new password of your own.';
  return [currentPasswordIssue('unexpected', detail)];
}

export function currentPasswordIssue(code: 'required' | 'unexpected' | 'mismatch', detail: string): Issue {
  return { pointer: '/currentPassword', code, detail };
}

type SentUser = Readonly<Record<string, unknown>>;
type PrivateWords = Pick<User, 'name' | 'email'>;

/**
 * Returns the issues of a password in the body. Name and e-mail address that are absent or invalid are taken
 * from `otherwise`: normalizing an invalid one, 64 KB of accents, would take a second.
 */
function sentPasswordIssues(sent: SentUser, otherwise: PrivateWords, passwordMin: number): Issue[] {
  if (!fits(password, sent['password'])) return [];
  const words = {
    name: fits(name, sent['name']) ? sent['name'] : otherwise.name,
    email: fits(email, sent['email']) ? sent['email'] : otherwise.email,
  };
  const detail = passwordIssue(sent['password'], words, passwordMin);
  return detail === undefined ? [] : [{ pointer: '/password', code: 'password', detail }];
}
