// Products over HTTP: /products.
import { signedIn, staffOnly, type Caller } from '../../auth/access.ts';
import { exportDescription } from '../../http/lists/export.ts';
import { empty, exportable } from '../../http/routing/reply.ts';
import { listParameters, pageOrFileIssues, type Lists } from '../../http/lists/list.ts';
import { represent, type Representation } from '../../http/responses/representation.ts';
import { lookupOf } from '../../http/responses/representation-cache.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { throwIfInvalid } from '../../problem.ts';
import type { Selection } from '../../storage/keyset.ts';
import { changesNothing, requireOwned, requireVisible } from '../../storage/object-access.ts';
import { productTable } from './product-csv.ts';
import {
  NewProduct,
  Product,
  ProductPatch,
  ProductReplacement,
  mergeProduct,
  productContentOf,
  productQuery,
} from './product.ts';
import {
  addProduct,
  productSearch,
  productSelection,
  productSource,
  removeProduct,
  replaceProduct,
  takenIssues,
} from './product-store.ts';

export function productRoutes(lists: Lists): Route[] {
  return [
    listProductsRoute(lists),
    createProductRoute(),
    readProductRoute(),
    putProductRoute(),
    patchProductRoute(),
    deleteProductRoute(),
  ];
}

function representProduct(product: Product): Representation<Product> {
  return represent(product, { id: product.id, ownerId: null });
}

const elements = lookupOf({ find: productSource.find, represent: representProduct });
const productFile = { name: 'products', table: productTable, elements };

function listProductsRoute(lists: Lists): Route {
  return route({
    method: 'GET',
    path: '/products',
    tag: 'Products',
    summary: 'List products',
    access: signedIn,
    scope: 'products:read',
    description: exportDescription,
    query: { ...productQuery, ...listParameters },
    reply: { kind: 'list', schema: Product, mediaTypes: exportable },
    problems: ['unavailable'],
    queryIssues: pageOrFileIssues,
    handle(call) {
      const { q, ...query } = call.query;
      const selectionFor = (): Selection =>
        q === undefined ? productSelection(query) : productSearch({ ...query, q });
      return lists.pageOrFile(call, { selectionFor, elements, file: productFile });
    },
  });
}

function createProductRoute(): Route {
  return route({
    method: 'POST',
    path: '/products',
    countsAgainstQuota: true,
    tag: 'Products',
    summary: 'Create a product',
    access: staffOnly,
    scope: 'products:write',
    acceptsIdempotencyKey: true,
    ownerOf: (db, id) => elements.find(db, id)?.ownerId,
    body: NewProduct,
    reply: { kind: 'object', schema: Product, location: ({ id }) => `/products/${id}` },
    handle(call) {
      const content = productContentOf(call.body);
      return call.write((permit) => {
        throwIfInvalid(takenIssues(permit.writer, content));
        return representProduct(addProduct(permit, content, permit.origin.now));
      });
    },
  });
}

function readProductRoute(): Route {
  return route({
    method: 'GET',
    path: '/products/{id}',
    tag: 'Products',
    summary: 'Read a product',
    access: signedIn,
    scope: 'products:read',
    reply: { kind: 'object', schema: Product },
    handle: (call) => representProduct(requireVisible(productSource, call, call.params.id)),
  });
}

const productChangeRouteBase = {
  path: '/products/{id}',
  tag: 'Products',
  access: staffOnly,
  scope: 'products:write',
  reply: { kind: 'object', schema: Product },
} as const;

function putProductRoute(): Route {
  return route({
    ...productChangeRouteBase,
    method: 'PUT',
    summary: 'Replace a product',
    body: ProductReplacement,
    handle: (call) => changeProduct(call, 'PUT'),
  });
}

function patchProductRoute(): Route {
  return route({
    ...productChangeRouteBase,
    method: 'PATCH',
    summary: 'Change a product',
    body: ProductPatch,
    handle: (call) => changeProduct(call, 'PATCH'),
  });
}

function changeProduct(
  call: Call<{ readonly id: number }, object, ProductPatch, Caller>,
  method: 'PUT' | 'PATCH',
): Promise<Representation<Product>> {
  return call.write((permit) => {
    const product = requireOwned(productSource, permit, call.params.id);
    call.checkPrecondition(() => representProduct(product).etag);
    const wanted = mergeProduct(product, call.body, method);
    throwIfInvalid(takenIssues(permit.writer, wanted, product));
    if (changesNothing(product, wanted)) return representProduct(product);
    return representProduct(replaceProduct(permit, product, wanted));
  });
}

function deleteProductRoute(): Route {
  return route({
    method: 'DELETE',
    path: '/products/{id}',
    tag: 'Products',
    summary: 'Delete a product',
    access: staffOnly,
    scope: 'products:write',
    reply: { kind: 'none' },
    handle: (call) =>
      call.write((permit) => {
        const product = requireOwned(productSource, permit, call.params.id);
        call.checkPrecondition(() => representProduct(product).etag);
        removeProduct(permit, product);
        return empty;
      }),
  });
}
