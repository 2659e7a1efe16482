// Logs and counts exchanges: a line for each, their security events, and their problems.
import type { RequestLine } from '../log-lines.ts';
import type { Logger } from '../logger.ts';
import type { Problem } from '../problem.ts';
import { securityEventLevels, type SecurityEvent } from '../security-event.ts';
import type { Exchange } from './exchange.ts';
import type { LogAllowance } from './log-allowance.ts';
import type { Metrics } from './metrics.ts';

export type ExchangeLogOptions = {
  readonly log: Logger;
  readonly logAllowance: LogAllowance;
  readonly metrics: Metrics;
  readonly now: () => number;
};

/** Returns the event that the log has for a problem, besides the line of its request; undefined if none. */
export function securityEventOf({ code, details }: Problem): SecurityEvent | undefined {
  if (code === 'forbidden' || code === 'insufficient-scope') return { name: 'authz_fail', code };
  if (code === 'quota-exceeded')
    return { name: 'excess_rate_limit_exceeded', policies: details.violated ?? [] };
  return details.securityEvent;
}

type Outcome = Pick<RequestLine, 'status' | 'milliseconds' | 'end' | 'bytes'>;

export class ExchangeLog {
  readonly #options: ExchangeLogOptions;

  constructor(options: ExchangeLogOptions) {
    this.#options = options;
  }

  countProblem({ code }: Problem): void {
    const { rejections } = this.#options.metrics;
    if (code === 'quota-exceeded') rejections.rate += 1;
    if (code === 'unavailable') rejections.unavailable += 1;
  }

  /** Counts the security events; also logs them, unless the exchange is not logged. Returns whether it is. */
  takeSecurityEvents(exchange: Exchange, status: number): boolean {
    const isLogged = this.#isLogged(exchange, status);
    const events = exchange.draft.takeSecurityEvents();
    for (const { name } of events) this.#options.metrics.countSecurityEvent(name);
    if (isLogged && events.length > 0) this.#logSecurityEvents(exchange, events);
    return isLogged;
  }

  /** Writes the line of the exchange when its response is sent, or when its stream ends. */
  write(exchange: Exchange, { status, milliseconds, end, bytes }: Outcome): void {
    const { requestId, method, path, caller, clientAddress, headers } = exchange;
    const now = end === undefined ? exchange.now : this.#options.now();
    const principal = caller?.principal ?? null;
    this.#options.log.request(
      {
        requestId,
        method,
        path,
        status,
        milliseconds,
        address: clientAddress,
        principal,
        traceparent: headers['traceparent'],
        end,
        bytes,
      },
      now,
    );
  }

  #isLogged(exchange: Exchange, status: number): boolean {
    if (exchange.isRateLimited && status !== 429) return true;
    return this.#options.logAllowance.permits(exchange.addressBucket, status);
  }

  #logSecurityEvents(exchange: Exchange, events: readonly SecurityEvent[]): void {
    const { requestId, clientAddress: address, caller } = exchange;
    for (const { name, ...details } of events) {
      const principal = caller?.principal ?? null;
      this.#options.log.write(securityEventLevels[name], name, { requestId, address, principal, ...details });
    }
  }
}
