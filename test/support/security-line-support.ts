// The security events of a service, as its log and its metrics show them.
import type { TestService } from './service.ts';

export function securityLines({ logged }: TestService, name: string): Record<string, unknown>[] {
  return logged.map((line) => JSON.parse(line)).filter(({ message }) => message === name);
}

/** The messages about a user, each with why, what or how. */
export function linesAbout({ logged }: TestService, userId: number): unknown[][] {
  const lines = logged.map((line) => JSON.parse(line)).filter((line) => line.userId === userId);
  return lines.map(({ message, reason, change, factor }) => [message, reason ?? change ?? factor]);
}

export function reasons(service: TestService): unknown[][] {
  return securityLines(service, 'authn_login_fail').map(({ userId, reason }) => [userId, reason]);
}

export function denials(service: TestService): unknown[][] {
  return securityLines(service, 'authz_fail').map(({ requestId, principal, code }) => [
    requestId,
    principal,
    code,
  ]);
}

export async function countedSecurityEvents(service: TestService, name: string): Promise<number> {
  const text = service.inside?.metricsText() ?? (await service.get('/metrics')).text;
  const found = new RegExp(`^orderly_security_events_total\\{event="${name}"\\} (\\d+)$`, 'm').exec(text);
  return Number(found?.[1]);
}
