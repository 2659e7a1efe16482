// The rows of webhooks as deliveries use them: position, retries and secrets of each.
import type { Sealed, SealedSecrets } from '../../auth/sealed-secrets.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';
import type { EventType } from '../events/event.ts';
import { recordEvent } from '../events/event-store.ts';
import { webhookAdditionalData } from './webhook-secret.ts';
import { typesOf } from './webhook-store.ts';
import type { WebhookStatus } from './webhook.ts';

/** The progress of deliveries. Times are milliseconds since 1970. */
export type DeliveryProgress = {
  /** The id of the last event that was delivered or skipped. */
  readonly position: number;
  /** The number of failed attempts to deliver the next event. */
  readonly failures: number;
  readonly retryAt: number | null;
  readonly lastStatus: number | null;
  readonly lastAt: number | null;
  readonly failingSince: number | null;
};

export type DeliveryWebhook = DeliveryProgress & {
  readonly id: number;
  readonly url: string;
  readonly types: readonly EventType[];
  readonly status: WebhookStatus;
  readonly secret: Sealed;
  readonly previousSecret: Sealed | null;
  readonly previousEndsAt: number | null;
  /** Incremented by every change, except those of the progress. */
  readonly version: number;
};

type DeliveryWebhookRow = readonly [
  id: number,
  url: string,
  types: string,
  status: WebhookStatus,
  sealedUnder: string,
  sealed: Uint8Array,
  previousSealedUnder: string | null,
  previousSealed: Uint8Array | null,
  previousEndsAt: number | null,
  version: number,
  position: number,
  failures: number,
  retryAt: number | null,
  lastStatus: number | null,
  lastAt: number | null,
  failingSince: number | null,
];
const columns =
  'id, url, types, status, sealedUnder, sealed, previousSealedUnder, previousSealed, previousEndsAt, ' +
  'version, position, failures, retryAt, lastStatus, lastAt, failingSince';

/** Reads all rows, since they are few. */
export function readDeliveryWebhooks(db: Connection): DeliveryWebhook[] {
  return db.all<DeliveryWebhookRow>(`SELECT ${columns} FROM webhooks ORDER BY id`).map(webhookOf);
}

export function findDeliveryWebhook(db: Connection, id: number): DeliveryWebhook | undefined {
  const row = db.get<DeliveryWebhookRow>(`SELECT ${columns} FROM webhooks WHERE id = ?`, id);
  return row === undefined ? undefined : webhookOf(row);
}

/** Returns undefined once the webhook is deleted. */
export function webhookVersion(db: Connection, id: number): number | undefined {
  return db.get<[number]>('SELECT version FROM webhooks WHERE id = ?', id)?.[0];
}

function webhookOf([
  id,
  url,
  types,
  status,
  sealedUnder,
  sealed,
  previousSealedUnder,
  previousSealed,
  previousEndsAt,
  version,
  position,
  failures,
  retryAt,
  lastStatus,
  lastAt,
  failingSince,
]: DeliveryWebhookRow): DeliveryWebhook {
  const hasPrevious = previousSealedUnder !== null && previousSealed !== null;
  return {
    id,
    url,
    types: typesOf(types),
    status,
    secret: { sealedUnder, bytes: sealed },
    previousSecret: hasPrevious ? { sealedUnder: previousSealedUnder, bytes: previousSealed } : null,
    previousEndsAt,
    version,
    position,
    failures,
    retryAt,
    lastStatus,
    lastAt,
    failingSince,
  };
}

type Version = Pick<DeliveryWebhook, 'id' | 'version'>;

/** Returns false if the webhook was changed since; deliveries then start again from its row. */
export function saveProgress(db: Connection, { id, version }: Version, progress: DeliveryProgress): boolean {
  const { position, failures, retryAt, lastStatus, lastAt, failingSince } = progress;
  const sql =
    'UPDATE webhooks SET position = ?, failures = ?, retryAt = ?, lastStatus = ?, lastAt = ?, ' +
    'failingSince = ? WHERE id = ? AND version = ?';
  const values = [position, failures, retryAt, lastStatus, lastAt, failingSince];
  return db.run(sql, ...values, id, version).rowsChanged === 1;
}

/** Does nothing if an administrator has changed the webhook since. `reason` is a sentence for them. */
export function disableWebhook(permit: Permit, { id, version }: Version, reason: string): void {
  const db = permit.writer;
  const sql =
    "UPDATE webhooks SET status = 'disabled', failures = 0, retryAt = NULL, version = version + 1 " +
    "WHERE id = ? AND version = ? AND status = 'enabled'";
  if (db.run(sql, id, version).rowsChanged === 0) return;
  const changes = { status: ['enabled', 'disabled'] } as const;
  recordEvent(permit, { type: 'webhook.disabled', subjectId: id, ownerId: null, changes, reason });
  db.invalidate({ kind: 'webhook', id });
}

/** After the service's secret was replaced, re-encrypts the secrets that an older one encrypts. */
export function resealWebhooks(db: Connection, secrets: SealedSecrets): number {
  let count = 0;
  for (const { id, secret, previousSecret } of readDeliveryWebhooks(db)) {
    const current = reseal(secrets, id, secret);
    const previous = previousSecret === null ? null : reseal(secrets, id, previousSecret);
    if (current === secret && previous === previousSecret) continue;
    const sql =
      'UPDATE webhooks SET sealedUnder = ?, sealed = ?, previousSealedUnder = ?, previousSealed = ?, ' +
      'version = version + 1 WHERE id = ?';
    db.run(
      sql,
      current.sealedUnder,
      current.bytes,
      previous?.sealedUnder ?? null,
      previous?.bytes ?? null,
      id,
    );
    db.invalidate({ kind: 'webhook', id });
    count += 1;
  }
  return count;
}

/** Returns the same value if the current secret encrypts it, or if it can't be decrypted. */
function reseal(secrets: SealedSecrets, id: number, sealed: Sealed): Sealed {
  if (sealed.sealedUnder === secrets.secretIds[0]) return sealed;
  const secret = secrets.open(sealed, webhookAdditionalData(id));
  return secret === undefined ? sealed : secrets.seal(secret, webhookAdditionalData(id));
}
