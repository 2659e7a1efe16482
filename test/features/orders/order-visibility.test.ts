// Who sees an order.
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { newOrder } from '../../support/resource-support.ts';

describe('who sees an order', () => {
  const running = sharedService();

  test('an order of one user isn’t found among another’s', async () => {
    const service = running();
    const [ada, bob, staff] = await Promise.all([
      service.person(),
      service.person(),
      service.person('staff'),
    ]);
    const order = await newOrder(service, ada.token);
    assertProblem(
      await service.get(`/api/users/${bob.id}/orders/${order.id}`, { token: staff.token }),
      'not-found',
    );
    assertProblem(
      await service.get(`/api/users/${ada.id}/orders/999999`, { token: staff.token }),
      'not-found',
    );
    assertProblem(await service.get('/api/users/999999/orders', { token: staff.token }), 'not-found');
  });
});
