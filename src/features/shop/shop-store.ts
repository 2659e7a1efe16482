// The row of the shop, and the shop in effect.
import { timestampOf } from '../../base/timestamp.ts';
import type { Config } from '../../config/config.ts';
import { columnsOf, contentNames, namesInEvents } from '../../resource/resource-members.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import type { Connection, Invalidation } from '../../storage/connection.ts';
import type { ObjectSource, Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import * as column from '../../storage/table.ts';
import { table } from '../../storage/table.ts';
import { recordEvent } from '../events/event-store.ts';
import { changesBetween } from '../events/event.ts';
import { neverSet, shopInEffect, ShopSettings, shopMembers, type Shop, type ShopContent } from './shop.ts';

/** The id of the only row. */
export const shopId = 1;

const shown = columnsOf(shopMembers);
const columns = { id: column.integerColumn, ...shown };
const shops = table('shop', columns);
const rows = shops.select(shown);
const replaceContent = shops.update([...contentNames(shopMembers), 'updatedAt']);

function findShop(db: Connection): ShopSettings {
  return rows.find(db, shopId) ?? neverSet;
}

/** The shop as it was set. The access rules of its routes decide what a caller may do with it. */
export const shopSource: ObjectSource<ShopSettings> = {
  name: 'shop',
  find: findShop,
  ownerIdOf: () => null,
  accessOf: () => 'all',
};

/** Returns what is set now. */
export function replaceShop(permit: Permit, current: Owned<ShopSettings>, wanted: ShopContent): ShopSettings {
  const { writer, origin } = permit;
  const { updatedAt: before } = current;
  const updatedAt = before === null ? origin.now : column.changeTime({ updatedAt: before }, origin.now);
  const values = { ...wanted, updatedAt };
  if (before === null) shops.insert(writer, { id: shopId, ...values });
  else replaceContent(writer, values, shopId);
  writer.invalidate({ table: 'shop', id: shopId });
  const changes = changesBetween(current, wanted, namesInEvents(shopMembers));
  recordEvent(permit, { type: 'shop.changed', subjectId: shopId, ownerId: null, changes });
  return { ...wanted, updatedAt: timestampOf(updatedAt) };
}

/** The shop in effect, in memory: the checks of bodies and of access ask for it, also inside writes. */
export class CurrentShop {
  readonly #read: Connection;
  readonly #config: Config;
  #shop: Shop;
  #isStale = false;

  constructor(read: Connection, config: Config) {
    this.#read = read;
    this.#config = config;
    this.#shop = this.#load();
  }

  get inEffect(): Shop {
    if (this.#isStale) this.#readAgain();
    return this.#shop;
  }

  /** Returns the country whose phone numbers may be sent in national form. */
  get country(): string | undefined {
    return this.inEffect.country ?? undefined;
  }

  onDurableChanges(invalidations: readonly Invalidation[]): void {
    this.#isStale ||= invalidations.some((each) => each === 'everything' || each.table === 'shop');
    if (this.#isStale) this.#readAgain();
  }

  #load(): Shop {
    return shopInEffect(findShop(this.#read), this.#config);
  }

  /** The former shop holds while its row can't be read: a damaged page costs only the requests that need it. */
  #readAgain(): void {
    try {
      this.#shop = this.#load();
      this.#isStale = false;
    } catch {
      // whoever asks next tries again
    }
  }
}

export const shopAudit = shops.audit({
  thing: 'shop',
  columns,
  issues: ({ id: _id, ...set }) => schemaIssues(ShopSettings, set),
});
