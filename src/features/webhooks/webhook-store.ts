// The rows of webhooks as administrators set them; delivery-webhook-store.ts has the progress of deliveries.
import { accountAccessOf } from '../../auth/access.ts';
import type { Sealed, SealedSecrets } from '../../auth/sealed-secrets.ts';
import { dayMilliseconds } from '../../base/durations.ts';
import { invalidAt } from '../../problem.ts';
import { timestampOrNull } from '../../base/timestamp.ts';
import { keptIssues } from '../../schema/schema-check.ts';
import { issueUnless } from '../../storage/audit.ts';
import type { Connection } from '../../storage/connection.ts';
import { matchAll, newestFirst, type RowSelection } from '../../storage/keyset.ts';
import type { Permit } from '../../storage/permit.ts';
import { columnsOf, contentNames, namesInEvents } from '../../storage/resource.ts';
import * as column from '../../storage/table.ts';
import { table } from '../../storage/table.ts';
import { changesBetween } from '../events/event.ts';
import { recordEvent } from '../events/event-store.ts';
import { feedBounds } from '../events/feed-store.ts';
import { type ObjectSource, type Owned } from '../../storage/object-access.ts';
import { Webhook, type WebhookContent, type WebhookSecret, webhookMembers, webhooksMax } from './webhook.ts';
import { randomBytes } from 'node:crypto';

/** The time for which the previous secret still signs. */
const webhookSecretOverlapMilliseconds = dayMilliseconds;

const shown = columnsOf(webhookMembers);
export const webhookColumns = {
  ...shown,
  sealedUnder: column.text(),
  sealed: column.blob,
  previousSealedUnder: column.nullable(column.text()),
  previousSealed: column.nullable(column.blob),
  previousEndsAt: column.nullable(column.integer),
  failures: column.integer,
  version: column.counter,
};
export const webhookTable = table('webhooks', webhookColumns);
const rows = webhookTable.select({ ...shown, version: column.counter });
const begin = webhookTable.update(['position', 'sealedUnder', 'sealed']);
const replaceSettings = webhookTable.update([
  ...contentNames(webhookMembers),
  'failures',
  'retryAt',
  'version',
]);
const replaceSecrets = webhookTable.update([
  'sealedUnder',
  'sealed',
  'previousSealedUnder',
  'previousSealed',
  'previousEndsAt',
  'failures',
  'retryAt',
  'version',
]);

/** `version` is incremented by every change, except changes of the progress. */
export type StoredWebhook = Webhook & { readonly version: number };

/** Webhooks have no owner: administrators see all of them, others none. */
export const webhookSource: ObjectSource<StoredWebhook> = {
  name: 'webhook',
  find: rows.find,
  ownerOf: () => null,
  accessOf: accountAccessOf,
};

export function webhookSelection(): RowSelection {
  return newestFirst('webhooks', matchAll);
}

/**
 * Creates a webhook. It receives the events after the one of its creation. Throws if `webhooksMax` webhooks
 * exist.
 */
export function addWebhook(
  permit: Permit,
  content: WebhookContent,
  secrets: SealedSecrets,
): { readonly webhook: StoredWebhook; readonly secret: string } {
  const { writer: db, origin } = permit;
  checkCount(db);
  const id = webhookTable.insert(db, {
    ...content,
    sealedUnder: '',
    sealed: new Uint8Array(),
    failures: 0,
    createdAt: origin.now,
  });
  recordEvent(permit, { type: 'webhook.created', subjectId: id, ownerId: null });
  const secret = randomSecret();
  const { sealedUnder, bytes } = secrets.seal(secret, webhookAdditionalData(id));
  const { latest: position } = feedBounds(db);
  begin(db, { position, sealedUnder, sealed: bytes }, id);
  db.invalidate({ kind: 'other', feature: 'webhooks', id });
  const webhook = rows.written({
    ...content,
    id,
    position,
    lastStatus: null,
    lastAt: null,
    failingSince: null,
    lastError: null,
    lastErrorCode: null,
    retryAt: null,
    createdAt: origin.now,
    version: 1,
  });
  return { webhook, secret: secretText(secret) };
}

function checkCount(db: Connection): void {
  const [count] = db.get<[number]>('SELECT count(*) FROM webhooks') ?? [0];
  if (count < webhooksMax) return;
  const detail = `There may be at most ${webhooksMax} webhooks; delete one first.`;
  throw invalidAt('', 'max-webhooks', detail);
}

/** The members whose values events show. */
export const shownValues = namesInEvents(webhookMembers);

/** Replaces the settings. Any change ends the wait for a retry, and resets the count of failures. */
export function replaceWebhook(
  permit: Permit,
  current: Owned<StoredWebhook>,
  wanted: WebhookContent,
): StoredWebhook {
  replaceSettings(permit.writer, { ...wanted, failures: 0, retryAt: null }, current.id);
  recordChange(permit, current.id, changesBetween(current, wanted, shownValues));
  return { ...current, ...wanted, retryAt: null, version: current.version + 1 };
}

/** Replaces the secret. For a day the previous secret also signs; older secrets no longer sign. */
export function rotateSecret(permit: Permit, { id }: Owned<Webhook>, secrets: SealedSecrets): WebhookSecret {
  const { writer: db, origin } = permit;
  const secret = randomSecret();
  const { sealedUnder, bytes } = secrets.seal(secret, webhookAdditionalData(id));
  const previous = openableSecret(db, id, secrets);
  const previousEndsAt = previous === null ? null : origin.now + webhookSecretOverlapMilliseconds;
  const values = {
    sealedUnder,
    sealed: bytes,
    previousSealedUnder: previous?.sealedUnder ?? null,
    previousSealed: previous?.bytes ?? null,
    previousEndsAt,
    failures: 0,
    retryAt: null,
  };
  replaceSecrets(db, values, id);
  recordChange(permit, id, { secret: null });
  return { secret: secretText(secret), previousEndsAt: timestampOrNull(previousEndsAt) };
}

/** Returns the current secret in its stored form; null if no secret of the service decrypts it. */
function openableSecret(db: Connection, id: number, secrets: SealedSecrets): Sealed | null {
  const row = db.get<[string, Uint8Array]>('SELECT sealedUnder, sealed FROM webhooks WHERE id = ?', id);
  if (row === undefined) return null;
  const [sealedUnder, bytes] = row;
  return secrets.open({ sealedUnder, bytes }, webhookAdditionalData(id)) === undefined
    ? null
    : { sealedUnder, bytes };
}

function recordChange(permit: Permit, id: number, changes: ReturnType<typeof changesBetween>): void {
  recordEvent(permit, { type: 'webhook.changed', subjectId: id, ownerId: null, changes });
  permit.writer.invalidate({ kind: 'other', feature: 'webhooks', id });
}

export function removeWebhook(permit: Permit, { id }: Owned<Webhook>): void {
  permit.writer.run('DELETE FROM webhooks WHERE id = ?', id);
  recordEvent(permit, { type: 'webhook.deleted', subjectId: id, ownerId: null });
  permit.writer.invalidate({ kind: 'other', feature: 'webhooks', id });
}

/** Returns a line of text for each enabled webhook, without the URL's path, which may contain a key. */
export function describeEnabledWebhooks(db: Connection): string[] {
  const sql = "SELECT id, url FROM webhooks WHERE status = 'enabled' ORDER BY id";
  return db.all<[number, string]>(sql).map(([id, url]) => `  ${id} to ${new URL(url).origin}`);
}

export const webhookAudit = webhookTable.audit({
  thing: 'webhook',
  columns: { ...shown, sealed: column.blob },
  issues({ sealed, ...webhook }) {
    return [
      ...keptIssues(Webhook, webhook),
      ...issueUnless(sealed.length > 0, '/sealed', 'there is no secret.'),
    ];
  },
});

/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32;

function randomSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** The form in which receivers configure a secret. */
function secretText(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/** The additional data (AEAD) of a webhook's secrets, so that a row can't replace another webhook's. */
export function webhookAdditionalData(webhookId: number): string {
  return `webhook ${webhookId}`;
}
