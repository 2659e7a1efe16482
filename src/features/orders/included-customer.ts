// The customer's id and name, which `include=customer` adds to orders.
import { customers } from '../customers/customers.ts';
import { id } from '../../schema/members.ts';
import { array, named, object, oneOf, optional, type Infer } from '../../schema/schema.ts';

export const IncludedCustomer = named(
  'IncludedCustomer',
  object({ id, name: customers.Shown.properties.name }),
);
export type IncludedCustomer = Infer<typeof IncludedCustomer>;

/** The parameter of reads and lists of orders. */
export const orderIncludes = {
  include: optional(
    array(oneOf(['customer']), {
      minItems: 1,
      maxItems: 1,
      description:
        '`customer` embeds the customer’s id and name in each order as `customer`. ' +
        'An API key needs the scope `customers:read` for it.',
      examples: [['customer']],
    }),
  ),
};
