// Erasing a customer over HTTP: /customers/{id}/erasure.
import { adminOnly, checkStepUp, recentSignIn } from '../../auth/access.ts';
import { representRow } from '../../http/responses/representation.ts';
import { empty } from '../../http/routing/reply.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { requireOwned } from '../../storage/object-access.ts';
import { customerResource } from '../customers/customers.ts';
import { eraseCustomer, type CustomerTable } from './customer-erasure-store.ts';

/** `runCleanup` clears the orders of erased customers, in the background. */
export function eraseCustomerRoute(tables: readonly CustomerTable[], runCleanup: () => void): Route {
  return route({
    method: 'PUT',
    path: '/customers/{id}/erasure',
    tag: 'Customers',
    summary: 'Erase what is personal of a customer',
    access: adminOnly,
    reply: { kind: 'none' },
    description:
      'The name becomes `erased`; e-mail address, phone number, address, note and reference, and the addresses ' +
      'and notes of the customer’s orders, become null, and the metadata of both empty. Sums, items and statuses stay. This can’t be taken back. ' +
      `Needs ${recentSignIn}.`,
    problems: ['step-up-required'],
    async handle(call) {
      checkStepUp(call.caller, call.now, 'Erasing a customer');
      await call.write((permit) => {
        const customer = requireOwned(customerResource.source, permit, call.params.id);
        call.checkPrecondition(() => representRow(customer).etag);
        eraseCustomer(permit, customer, tables);
      });
      runCleanup();
      return empty;
    },
  });
}
