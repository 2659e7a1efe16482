// For the tests of Idempotency-Key.
import { type TestResponse } from '../../support/service.ts';

export const withKey = (key: string): Record<string, string> => ({ 'idempotency-key': key });

export const isReplay = ({ headers }: TestResponse): boolean => headers['idempotency-replayed'] === 'true';
