// The keys, leases and transactions of etcd, by the JSON of its member on the same machine.
const base = 'http://127.0.0.1:2379/v3';
const answerMillisecondsMax = 1_000;

export type Entry = { readonly value: string; readonly createdAt: string; readonly changedAt: string };
/** What a transaction requires of a key; undefined: it is absent. Times are revisions. */
export type Condition =
  | { readonly key: string; readonly changedAt: string | undefined }
  | { readonly key: string; readonly createdAt: string | undefined };
export type Put = { readonly key: string; readonly value: string; readonly lease?: string };

type Stored = { readonly value: string; readonly create_revision: string; readonly mod_revision: string };

/** Undefined if the key is absent. Throws if there is no majority of members. */
export async function read(key: string): Promise<Entry | undefined> {
  const { kvs } = await ask<{ kvs?: readonly [Stored] }>('kv/range', {
    key: encoded(key),
  });
  if (kvs === undefined) return undefined;
  const [{ value, create_revision: createdAt, mod_revision: changedAt }] = kvs;
  return { value: Buffer.from(value, 'base64').toString(), createdAt, changedAt };
}

/** Returns the revision, or undefined if a condition doesn't hold. */
export async function putIf(
  conditions: readonly Condition[],
  puts: readonly Put[],
): Promise<string | undefined> {
  const { succeeded, header } = await ask<{ succeeded?: boolean; header: { revision: string } }>('kv/txn', {
    compare: conditions.map(comparisonOf),
    success: puts.map(({ key, value, lease = '0' }) => ({
      requestPut: { key: encoded(key), value: encoded(value), lease },
    })),
  });
  return succeeded === true ? header.revision : undefined;
}

export async function grantLease(seconds: number): Promise<string> {
  return (await ask<{ ID: string }>('lease/grant', { TTL: String(seconds) })).ID;
}

/** False if the lease is over. Throws if there is no majority of members. */
export async function keepLease(id: string): Promise<boolean> {
  const { result } = await ask<{ result?: { TTL?: string } }>('lease/keepalive', { ID: id });
  return Number(result?.TTL ?? 0) > 0;
}

function comparisonOf(condition: Condition): object {
  const key = encoded(condition.key);
  if ('changedAt' in condition)
    return { key, target: 'MOD', result: 'EQUAL', modRevision: condition.changedAt ?? '0' };
  return { key, target: 'CREATE', result: 'EQUAL', createRevision: condition.createdAt ?? '0' };
}

async function ask<T>(path: string, body: object): Promise<T> {
  const response = await fetch(`${base}/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerMillisecondsMax),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`etcd: ${response.status} ${text}`);
  return JSON.parse(text) as T; // the shapes of etcd's documentation
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
