// Compares every exchange of every test with the OpenAPI document.
import type { Service } from '../src/commands/serve.ts';
import type { Answer, Call } from './service.ts';

export function checkExchange(_service: Service, _exchange: { method: string; path: string; sent: Call; answer: Answer }): void {
  // comes with the document
}
