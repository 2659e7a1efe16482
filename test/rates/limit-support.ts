// For the tests of rates.
import { type TestResponse } from '../support/service.ts';

export const limitFields = ({ headers }: TestResponse): (string | string[] | undefined)[] => [
  headers['ratelimit-policy'],
  headers['ratelimit'],
];
