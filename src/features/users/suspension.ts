// A suspension of a user: the schemas of requests and responses.
import { id, singleLine, timestamp } from '../../schema/members.ts';
import { named, nullable, object, type Infer } from '../../schema/schema.ts';

export const reason = nullable(
  singleLine(200, 'Why, for other administrators. The user never sees it.', 'Laptop stolen'),
);

export const Suspension = named('Suspension', object({ userId: id, createdAt: timestamp, reason }));
export type Suspension = Infer<typeof Suspension>;
