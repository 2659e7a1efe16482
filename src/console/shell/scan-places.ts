// Where a code goes that no part of the page takes: the code of a product or of a customer's card begins or extends the
// new order; the code of an order, on its packing slip, opens the order.
import { productWithCode } from '../products/articles.ts';
import type { ApiClient } from '../service/api-client.ts';
import type { Order } from '../words/api-types.ts';
import { Rejection } from '../service/request-errors.ts';
import { Scans, sayUnhandled } from '../page/scans.ts';
import { goTo } from '../page/view.ts';
import { cardIdOf } from '../words/codes.ts';

/** Recognizes scans until the signal is aborted. */
export function watchScans(client: ApiClient, signal: AbortSignal): Scans {
  let last = Promise.resolve();
  const scans: Scans = new Scans(
    {
      place: (code) => (last = last.then(() => placeCode({ client, scans }, code))),
      isKnown: async (code) => (await productWithCode(client, code)) !== undefined,
    },
    signal,
  );
  return scans;
}

type Places = { readonly client: ApiClient; readonly scans: Scans };

/** A code that can't be looked up at the moment waits in the new order, too. */
async function placeCode({ client, scans }: Places, code: string): Promise<void> {
  if (await isOrder(client, code)) return goTo(`/orders/${Number(code)}`);
  const isCard = cardIdOf(code) !== undefined;
  const product = isCard ? undefined : await productWithCode(client, code).catch(() => code);
  if (!isCard && product === undefined) return sayUnhandled(code, 'unknown');
  scans.hold(code);
  scans.deliver(); // the form may be shown since
  goTo('/new');
}

/** Fewer digits than a barcode has may be the number of an order. */
async function isOrder(client: ApiClient, code: string): Promise<boolean> {
  if (!/^[1-9]\d{0,6}$/.test(code)) return false;
  const read = client.get<Order>(`/orders/${code}`);
  return read.then(
    () => true,
    (error: unknown) => !(error instanceof Rejection),
  );
}
