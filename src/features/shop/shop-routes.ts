// The shop over HTTP: /shop.
import { adminOnly, checkStepUp, recentSignIn, signedIn, type Caller } from '../../auth/access.ts';
import type { Config } from '../../config/config.ts';
import { represent, type Representation } from '../../http/responses/representation.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { changesNothing, requireOwned, requireVisible } from '../../storage/object-access.ts';
import {
  mergeShop,
  needsStepUp,
  Shop,
  shopInEffect,
  ShopPatch,
  ShopReplacement,
  type ShopSettings,
} from './shop.ts';
import { replaceShop, shopId, shopSource } from './shop-store.ts';

export function shopRoutes(config: Config): Route[] {
  return [readShopRoute(config), putShopRoute(config), patchShopRoute(config)];
}

function representShop(set: ShopSettings, config: Config): Representation<Shop> {
  return represent(shopInEffect(set, config), { id: shopId, ownerId: null });
}

const shopRouteBase = { path: '/shop', tag: 'Shop', reply: { kind: 'object', schema: Shop } } as const;

function readShopRoute(config: Config): Route {
  return route({
    ...shopRouteBase,
    method: 'GET',
    operationId: 'getShop',
    summary: 'Read the shop',
    access: signedIn,
    scope: 'any',
    description: 'What was never set is what the flags of the service say.',
    handle: (call) => representShop(requireVisible(shopSource, call, shopId), config),
  });
}

const shopChangeRouteBase = {
  ...shopRouteBase,
  access: adminOnly,
  description: `A change of \`registration\` needs ${recentSignIn}. \`--registration closed\` closes whatever is set.`,
  problems: ['step-up-required'],
} as const;

function putShopRoute(config: Config): Route {
  return route({
    ...shopChangeRouteBase,
    method: 'PUT',
    operationId: 'replaceShop',
    summary: 'Set the shop',
    body: ShopReplacement,
    handle: (call) => changeShop(call, 'PUT', config),
  });
}

function patchShopRoute(config: Config): Route {
  return route({
    ...shopChangeRouteBase,
    method: 'PATCH',
    operationId: 'updateShop',
    summary: 'Change the shop',
    body: ShopPatch,
    handle: (call) => changeShop(call, 'PATCH', config),
  });
}

function changeShop(
  call: Call<object, object, ShopPatch, Caller>,
  method: 'PUT' | 'PATCH',
  config: Config,
): Promise<Representation<Shop>> {
  return call.write((permit) => {
    const set = requireOwned(shopSource, permit, shopId);
    call.checkPrecondition(() => representShop(set, config).etag);
    const wanted = mergeShop(set, call.body, method);
    if (changesNothing(set, wanted)) return representShop(set, config);
    if (needsStepUp(set, wanted, shopInEffect(set, config)))
      checkStepUp(permit.caller, call.now, 'Changing who may sign up');
    return representShop(replaceShop(permit, set, wanted), config);
  });
}
