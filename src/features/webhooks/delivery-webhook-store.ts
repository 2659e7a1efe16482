// The rows of webhooks as deliveries use them: position, retries and secrets.
import type { Sealed, SealedSecrets } from '../../auth/sealed-secrets.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';
import * as column from '../../storage/table.ts';
import type { RowObject } from '../../storage/table.ts';
import type { EventType } from '../events/event.ts';
import { recordEvent } from '../events/event-store.ts';
import { webhookAdditionalData, webhookColumns, webhookTable } from './webhook-store.ts';
import type { WebhookErrorCode, WebhookStatus } from './webhook.ts';

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
  /** Why the last attempt failed; null after a success. */
  readonly lastError: string | null;
  readonly lastErrorCode: WebhookErrorCode | null;
};

export type DeliveryWebhook = DeliveryProgress & {
  readonly id: number;
  readonly url: string;
  readonly types: readonly EventType[];
  readonly status: WebhookStatus;
  readonly secret: Sealed;
  readonly previousSecret: Sealed | null;
  readonly previousEndsAt: number | null;
  /** Incremented by every change, except changes of the progress. */
  readonly version: number;
};

const instant = column.nullable(column.integer);
const columns = { ...webhookColumns, lastAt: instant, failingSince: instant, retryAt: instant };
const rows = webhookTable.select(columns);
const setProgress = webhookTable.update(
  ['position', 'failures', 'retryAt', 'lastStatus', 'lastAt', 'failingSince', 'lastError', 'lastErrorCode'],
  'id = ? AND version = ?',
);
const disable = webhookTable.update(
  ['status', 'failures', 'retryAt', 'version'],
  "id = ? AND version = ? AND status = 'enabled'",
);
const replaceSecrets = webhookTable.update([
  'sealedUnder',
  'sealed',
  'previousSealedUnder',
  'previousSealed',
  'version',
]);

/** Reads all rows, since they are few. */
export function readDeliveryWebhooks(db: Connection): DeliveryWebhook[] {
  const sql = `SELECT ${rows.columns} FROM webhooks ORDER BY id`;
  return db.all(sql).map((row) => webhookOf(rows.objectOf(row)));
}

export function findDeliveryWebhook(db: Connection, id: number): DeliveryWebhook | undefined {
  const row = rows.find(db, id);
  return row === undefined ? undefined : webhookOf(row);
}

/** Returns undefined once the webhook is deleted. */
export function webhookVersion(db: Connection, id: number): number | undefined {
  return db.get<[number]>('SELECT version FROM webhooks WHERE id = ?', id)?.[0];
}

function webhookOf(row: RowObject<typeof columns>): DeliveryWebhook {
  const { sealedUnder, sealed, previousSealedUnder, previousSealed, ...webhook } = row;
  const hasPrevious = previousSealedUnder !== null && previousSealed !== null;
  return {
    ...webhook,
    secret: { sealedUnder, bytes: sealed },
    previousSecret: hasPrevious ? { sealedUnder: previousSealedUnder, bytes: previousSealed } : null,
  };
}

type Version = Pick<DeliveryWebhook, 'id' | 'version'>;

/**
 * Saves the progress. Returns false if the webhook has been changed meanwhile: deliveries then start again
 * from its row.
 */
export function saveProgress(db: Connection, { id, version }: Version, progress: DeliveryProgress): boolean {
  return setProgress(db, progress, id, version) === 1;
}

/**
 * Disables the webhook, unless an administrator has changed it meanwhile. `reason` is a sentence for
 * administrators.
 */
export function disableWebhook(permit: Permit, { id, version }: Version, reason: string): void {
  const db = permit.writer;
  const values = { status: 'disabled', failures: 0, retryAt: null } as const;
  if (disable(db, values, id, version) === 0) return;
  const changes = { status: ['enabled', 'disabled'] } as const;
  recordEvent(permit, { type: 'webhook.disabled', subjectId: id, ownerId: null, changes, reason });
  db.invalidate({ kind: 'other', feature: 'webhooks', id });
}

/**
 * After the service's secret was replaced, re-encrypts secrets that are still encrypted with an older key.
 */
export function resealWebhooks(db: Connection, secrets: SealedSecrets): number {
  let count = 0;
  for (const { id, secret, previousSecret } of readDeliveryWebhooks(db)) {
    const current = reseal(secrets, id, secret);
    const previous = previousSecret === null ? null : reseal(secrets, id, previousSecret);
    if (current === secret && previous === previousSecret) continue;
    const values = {
      sealedUnder: current.sealedUnder,
      sealed: current.bytes,
      previousSealedUnder: previous?.sealedUnder ?? null,
      previousSealed: previous?.bytes ?? null,
    };
    replaceSecrets(db, values, id);
    db.invalidate({ kind: 'other', feature: 'webhooks', id });
    count += 1;
  }
  return count;
}

/** Re-encrypts a secret. Returns the same value if its key is current, or if it can't be decrypted. */
function reseal(secrets: SealedSecrets, id: number, sealed: Sealed): Sealed {
  if (sealed.sealedUnder === secrets.secretIds[0]) return sealed;
  return secrets.reseal(sealed, webhookAdditionalData(id)) ?? sealed;
}
