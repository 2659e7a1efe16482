// The rows of webhooks: first the changes of administrators, then the reads and writes of deliveries.
import assert from 'node:assert';
import { randomBytes } from 'node:crypto';
import { accountAccessOf } from '../../auth/access.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import { dayMilliseconds } from '../../base/durations.ts';
import { timestampOrNull } from '../../base/timestamp.ts';
import { invalidAt } from '../../problem.ts';
import { columnsOf, contentNames, namesInEvents } from '../../resource/resource-members.ts';
import { keptIssues } from '../../schema/schema-check.ts';
import { issueUnless } from '../../storage/audit.ts';
import type { Connection } from '../../storage/connection.ts';
import { matchAll, newestFirst, type RowSelection } from '../../storage/keyset.ts';
import { type ObjectSource, type Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import { reseal } from '../../storage/sealed-columns.ts';
import * as column from '../../storage/table.ts';
import { table } from '../../storage/table.ts';
import { recordEvent } from '../events/event-store.ts';
import { changesBetween, type Changes, type EventType } from '../events/event.ts';
import { feedBounds } from '../events/feed-store.ts';
import { Webhook, type WebhookContent, type WebhookSecret, webhookMembers, webhooksMax } from './webhook.ts';

/** The time for which the previous secret still signs. */
const webhookSecretOverlapMilliseconds = dayMilliseconds;

const shown = columnsOf(webhookMembers);
const sealedColumns = {
  sealedUnder: column.textColumn(),
  sealed: column.blobColumn,
  previousSealedUnder: column.nullableColumn(column.textColumn()),
  previousSealed: column.nullableColumn(column.blobColumn),
  previousEndsAt: column.nullableColumn(column.integerColumn),
};
const webhooks = table('webhooks', {
  ...shown,
  ...sealedColumns,
  failures: column.integerColumn,
  version: column.counterColumn,
});
const rows = webhooks.select({ ...shown, version: column.counterColumn });
const secretRows = webhooks.select(sealedColumns);
const storeStart = webhooks.update(['position', 'sealedUnder', 'sealed']);
const replaceSettings = webhooks.update([...contentNames(webhookMembers), 'failures', 'retryAt', 'version']);
const rotateSql =
  'UPDATE webhooks SET previousSealedUnder = sealedUnder, previousSealed = sealed, previousEndsAt = ?, ' +
  'sealedUnder = ?, sealed = ?, failures = 0, retryAt = NULL, version = version + 1 WHERE id = ?';

/** `version` is incremented by every change, except changes by deliveries. */
export type StoredWebhook = Webhook & { readonly version: number };

/** Webhooks have no owner: administrators see all of them, others none. */
export const webhookSource: ObjectSource<StoredWebhook> = {
  name: 'webhook',
  find: rows.find,
  ownerIdOf: () => null,
  accessOf: accountAccessOf,
};

export function webhookSelection(): RowSelection {
  return newestFirst('webhooks', matchAll);
}

/** Creates a webhook, which receives the events after its creation. Throws if `webhooksMax` webhooks exist. */
export function addWebhook(permit: Permit, content: WebhookContent, secrets: SealedSecrets) {
  const { writer: db, origin } = permit;
  checkWebhookCount(db);
  const unsealed = { sealedUnder: '', sealed: new Uint8Array() }; // the id of the row is part of the seal
  const id = webhooks.insert(db, { ...content, ...unsealed, failures: 0, createdAt: origin.now });
  recordWebhookEvent(permit, id, { type: 'webhook.created' });
  const { text, ...sealed } = newSecret(secrets, id);
  storeStart(db, { position: feedBounds(db).latest, ...sealed }, id);
  const webhook = rows.find(db, id);
  assert(webhook !== undefined, 'the webhook was just inserted');
  return { webhook, secret: text };
}

function checkWebhookCount(db: Connection): void {
  const [count] = db.get<[number]>('SELECT count(*) FROM webhooks') ?? [0];
  if (count < webhooksMax) return;
  const detail = `There may be at most ${webhooksMax} webhooks; delete one first.`;
  throw invalidAt('', 'max-webhooks', detail);
}

/** Records the event, and lets the deliveries know. */
function recordWebhookEvent(
  permit: Permit,
  id: number,
  event: { readonly type: EventType; readonly changes?: Changes },
): void {
  recordEvent(permit, { ...event, subjectId: id, ownerId: null });
  permit.writer.invalidate({ table: 'webhooks', id });
}

/** The members whose values events show. */
export const membersInEvents = namesInEvents(webhookMembers);

/** Replaces the settings. Any change ends the wait for a retry, and resets the count of failures. */
export function replaceWebhook(
  permit: Permit,
  current: Owned<StoredWebhook>,
  wanted: WebhookContent,
): StoredWebhook {
  const { writer: db } = permit;
  const { id } = current;
  replaceSettings(db, { ...wanted, failures: 0, retryAt: null }, id);
  const changes = changesBetween(current, wanted, membersInEvents);
  // a PATCH without changes only brings the retry forward, which is no event
  if (Object.keys(changes).length === 0) db.invalidate({ table: 'webhooks', id });
  else recordWebhookEvent(permit, id, { type: 'webhook.changed', changes });
  return { ...current, ...wanted, retryAt: null, version: current.version + 1 };
}

/** Replaces the secret. For a day the previous secret also signs; older secrets no longer sign. */
export function rotateSecret(permit: Permit, { id }: Owned<Webhook>, secrets: SealedSecrets): WebhookSecret {
  const { writer: db, origin } = permit;
  const canSign = openSecrets(db, secrets, { id, now: origin.now }).length > 0;
  const previousEndsAt = canSign ? origin.now + webhookSecretOverlapMilliseconds : null;
  const { text, sealedUnder, sealed } = newSecret(secrets, id);
  db.run(rotateSql, previousEndsAt, sealedUnder, sealed, id);
  recordWebhookEvent(permit, id, { type: 'webhook.changed', changes: { secret: null } });
  return { secret: text, previousEndsAt: timestampOrNull(previousEndsAt) };
}

export function removeWebhook(permit: Permit, { id }: Owned<Webhook>): void {
  webhooks.remove(permit.writer, id);
  recordWebhookEvent(permit, id, { type: 'webhook.deleted' });
}

/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32;

/** Returns a secret, sealed, and its text, by which receivers are configured. */
function newSecret(secrets: SealedSecrets, webhookId: number) {
  const secret = randomBytes(secretBytes);
  const { sealedUnder, bytes } = secrets.seal(secret, additionalData(webhookId));
  return { text: `whsec_${secret.toString('base64')}`, sealedUnder, sealed: bytes };
}

/** The additional data (AEAD) of a webhook's secrets, so that a row can't replace another webhook's. */
function additionalData(webhookId: number): string {
  return `webhook ${webhookId}`;
}

/** Returns the current secret and, for a day, the previous one; none if the current one can't be opened. */
export function openSecrets(
  db: Connection,
  secrets: SealedSecrets,
  { id, now }: { readonly id: number; readonly now: number },
): Uint8Array[] {
  const row = secretRows.find(db, id);
  if (row === undefined) return [];
  const open = (sealedUnder: string, bytes: Uint8Array): Uint8Array | undefined =>
    secrets.open({ sealedUnder, bytes }, additionalData(id));
  const current = open(row.sealedUnder, row.sealed);
  if (current === undefined) return [];
  const { previousSealedUnder, previousSealed, previousEndsAt } = row;
  if (previousSealedUnder === null || previousSealed === null || previousEndsAt === null) return [current];
  const previous = now < previousEndsAt ? open(previousSealedUnder, previousSealed) : undefined;
  return previous === undefined ? [current] : [current, previous];
}

/** Encrypts secrets again after the service's own secret was replaced. */
export function resealWebhooks(db: Connection, secrets: SealedSecrets, rowsMax: number): number {
  const rowsOfTable = { table: 'webhooks', key: 'id', additionalData, rowsMax };
  return (
    reseal(db, secrets, { ...rowsOfTable, sealedUnder: 'sealedUnder', sealed: 'sealed' }) +
    reseal(db, secrets, { ...rowsOfTable, sealedUnder: 'previousSealedUnder', sealed: 'previousSealed' })
  );
}

// The rest is for deliveries. Their times are milliseconds since 1970.

const instant = column.nullableColumn(column.integerColumn);
const progress = { lastAt: instant, failingSince: instant, retryAt: instant, failures: column.integerColumn };
const deliveryRows = webhooks.select({ ...shown, ...progress, version: column.counterColumn });
const progressNames = [
  'position',
  'failures',
  'retryAt',
  'lastStatus',
  'lastAt',
  'failingSince',
  'lastError',
  'lastErrorCode',
] as const;
const replaceProgress = webhooks.update(progressNames, 'id = ? AND position = ? AND version <= ?');
const disableRow = webhooks.update(['status', 'version', ...progressNames], 'id = ? AND version = ?');

export const noFailure = {
  failures: 0,
  retryAt: null,
  failingSince: null,
  lastError: null,
  lastErrorCode: null,
} as const;

export const findDeliveryWebhook = deliveryRows.find;
export type DeliveryWebhook = NonNullable<ReturnType<typeof findDeliveryWebhook>>;

/** Finds the positions of all webhooks, which are few. */
export function readPositions(db: Connection): { readonly id: number; readonly position: number }[] {
  const rows = db.all<[number, number]>('SELECT id, position FROM webhooks ORDER BY id');
  return rows.map(([id, position]) => ({ id, position }));
}

/**
 * Saves the result of a delivery, unless an administrator has moved the position meanwhile. Any change by an
 * administrator resets the failures, so that after it only a success still counts.
 */
export function saveProgress(
  db: Connection,
  webhook: DeliveryWebhook,
  changed: Partial<DeliveryWebhook>,
): void {
  const versionMax = changed.failures === 0 ? Number.MAX_SAFE_INTEGER : webhook.version;
  replaceProgress(db, { ...webhook, ...changed }, webhook.id, webhook.position, versionMax);
}

/**
 * Disables the webhook after this failure, unless an administrator has changed it meanwhile. `reason` is a sentence for
 * administrators.
 */
export function disableWebhook(permit: Permit, failed: DeliveryWebhook, reason: string): void {
  const { id, version } = failed;
  const values = { ...failed, status: 'disabled', failures: 0, retryAt: null } as const;
  if (disableRow(permit.writer, values, id, version) === 0) return;
  const changes = { status: ['enabled', 'disabled'] } as const;
  recordEvent(permit, { type: 'webhook.disabled', subjectId: id, ownerId: null, changes, reason });
}

/** Returns a line of text for each enabled webhook, without the URL's path, which may contain a key. */
export function describeEnabledWebhooks(db: Connection): string[] {
  const sql = "SELECT id, url FROM webhooks WHERE status = 'enabled' ORDER BY id";
  return db.all<[number, string]>(sql).map(([id, url]) => `  ${id} to ${new URL(url).origin}`);
}

export const webhookAudit = webhooks.audit({
  thing: 'webhook',
  columns: { ...shown, sealed: column.blobColumn },
  issues({ sealed, ...webhook }) {
    return [
      ...keptIssues(Webhook, webhook),
      ...issueUnless(sealed.length > 0, '/sealed', 'there is no secret.'),
    ];
  },
});
