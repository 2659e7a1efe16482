// Customers as requests send them. Phone numbers are in E.164 or in the default country's national form.
import { email, id, sentTimestamp, singleLine, text } from '../../schema/members.ts';
import { sentPhone } from '../../schema/phone.ts';
import { named, nullable, object, optional, partial, type Infer } from '../../schema/schema.ts';
import { NewAddress } from './address.ts';

export const customerName = singleLine(200, 'The customer’s name.', 'Grace Hopper');
export const customerNote = text(2000, 'What the shop should know about the customer.', 'Rings twice.');
export const customerOwner = nullable(id, {
  description: 'The user who owns the customer; null once that user is deleted.',
});

const example = {
  name: 'Grace Hopper',
  email: 'grace@example.com',
  phone: '+4944112345678',
  address: { line1: 'Ammerländer Heerstraße 114', city: 'Oldenburg', postalCode: '26133', country: 'DE' },
};

export type CustomerBodies = ReturnType<typeof customerBodies>;
export type CustomerReplacement = Infer<CustomerBodies['CustomerReplacement']>;
export type CustomerPatch = Infer<CustomerBodies['CustomerPatch']>;

/** Returns the schemas of a service with this default country, an ISO 3166-1 code. */
export function customerBodies(defaultCountry: string | undefined) {
  const sent = {
    name: customerName,
    email: optional(nullable(email)),
    phone: optional(nullable(sentPhone(defaultCountry))),
    address: optional(nullable(NewAddress)),
    note: optional(nullable(customerNote)),
  };
  const userId = optional(id, { description: 'The owner, if that is another user; only staff may set it.' });
  const NewCustomer = named('NewCustomer', object({ ...sent, userId }, { examples: [example] }));
  const readOnly = {
    id: optional(id),
    createdAt: optional(sentTimestamp),
    updatedAt: optional(sentTimestamp),
  };
  const CustomerReplacement = named(
    'CustomerReplacement',
    object(
      { ...sent, userId: optional(customerOwner), ...readOnly },
      {
        description:
          'The whole customer: omitted members become null, but the owner stays. ' +
          'Read-only members may be sent with their current values.',
        examples: [example],
      },
    ),
  );
  const CustomerPatch = named(
    'CustomerPatch',
    partial(CustomerReplacement, {
      description: 'A JSON Merge Patch (RFC 7396).',
      examples: [{ phone: '+4944112345678' }],
    }),
  );
  return { defaultCountry, NewCustomer, CustomerReplacement, CustomerPatch };
}
