// The search for customers of a combobox.
import { shopOfPage } from '../words/page-meta.ts';
import { type ApiClient, query } from '../service/api-client.ts';
import type { Customer, List } from '../words/api-types.ts';
import type { Found } from '../forms/combobox.ts';
import { t } from '../words/texts.ts';
import { aboutCustomer } from './customer-words.ts';

type CustomerSearch = (q: string, signal: AbortSignal) => Promise<readonly Found[]>;

/** Returns a search that finds at most `limit` customers. */
export function customerSearch(
  client: ApiClient,
  limit: number,
  choose: (customer: Customer) => void,
): CustomerSearch {
  return async (q, signal) => {
    const { data } = await client.get<List<Customer>>(`/customers?${query({ q, limit })}`, signal);
    return data.map((customer) => ({
      id: `customer-${customer.id}`,
      name: customer.name,
      about: aboutCustomer(customer, q, shopOfPage().country) || t('Customer {id}', { id: customer.id }),
      choose: () => choose(customer),
    }));
  };
}
