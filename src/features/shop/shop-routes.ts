// The shop over HTTP: /shop.
import { adminOnly, checkStepUp, recentSignIn, signedIn, type Caller } from '../../auth/access.ts';
import type { Config } from '../../config/config.ts';
import { represent, type Representation } from '../../http/responses/representation.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { changesNothing, requireOwned, requireVisible } from '../../storage/object-access.ts';
import { replaceShop, shopId, shopSource } from './shop-store.ts';
import {
  mergeShop,
  needsStepUp,
  Shop,
  shopInEffect,
  ShopPatch,
  ShopReplacement,
  type ShopSettings,
} from './shop.ts';

const common = { path: '/shop', tag: 'Shop', reply: { kind: 'object', schema: Shop } } as const;
const commonOfChanges = {
  ...common,
  access: adminOnly,
  description: `A change of \`registration\` needs ${recentSignIn}. \`--registration closed\` closes whatever is set.`,
  problems: ['step-up-required'],
} as const;

export function shopRoutes(config: Config): Route[] {
  const represented = (set: ShopSettings): Representation<Shop> =>
    represent(shopInEffect(set, config), { id: shopId, ownerId: null });

  function change(call: Call<object, object, ShopPatch, Caller>, method: 'PUT' | 'PATCH') {
    return call.write((permit) => {
      const set = requireOwned(shopSource, permit, shopId);
      call.checkPrecondition(() => represented(set).etag);
      const wanted = mergeShop(set, call.body, method);
      if (changesNothing(set, wanted)) return represented(set);
      if (needsStepUp(set, wanted, shopInEffect(set, config)))
        checkStepUp(permit.caller, call.now, 'Changing who may sign up');
      return represented(replaceShop(permit, set, wanted));
    });
  }

  return [
    route({
      ...common,
      method: 'GET',
      operationId: 'getShop',
      summary: 'Read the shop',
      access: signedIn,
      scope: 'any',
      description: 'What was never set is what the flags of the service say.',
      handle: (call) => represented(requireVisible(shopSource, call, shopId)),
    }),
    route({
      ...commonOfChanges,
      method: 'PUT',
      operationId: 'replaceShop',
      summary: 'Set the shop',
      body: ShopReplacement,
      handle: (call) => change(call, 'PUT'),
    }),
    route({
      ...commonOfChanges,
      method: 'PATCH',
      operationId: 'updateShop',
      summary: 'Change the shop',
      body: ShopPatch,
      handle: (call) => change(call, 'PATCH'),
    }),
  ];
}
