// `orderly openapi`: prints the OpenAPI document of a service with these settings, from its routes alone.
import { Caches } from '../assembly/caches.ts';
import { publicUrlOf } from '../assembly/listening.ts';
import { RefreshTokens } from '../auth/refresh-tokens.ts';
import { SealedSecrets } from '../auth/sealed-secrets.ts';
import { openapiDocument } from '../http/openapi.ts';
import { createLimiter } from '../http/rate-limit.ts';
import { mountInterfaces, type HandlerServices } from '../interfaces.ts';
import { PasswordChecks } from '../resources/flows/password-checks.ts';
import { WebhookTargets } from '../network/webhook-targets.ts';
import { version } from '../version.ts';
import type { Command } from './commands.ts';

export const printOpenapi: Command = {
  summary: 'prints the OpenAPI document',
  operands: [],
  flags: [],
  async run({ config }) {
    const publicUrl = publicUrlOf(config, config.port);
    const { mounted } = mountInterfaces({ config, publicUrl, services: notServing(), extraRoutes: [] });
    return JSON.stringify(await openapiDocument(mounted, publicUrl, version), null, 2);
  },
};

/** Routes are declared here and never handled: whatever a handler would use throws. */
function notServing(): HandlerServices {
  const hasher = { hash: unused, verify: unused, needsUpgrade: unused, close: unused, waiting: 0 };
  const unlimited = createLimiter('unlimited', undefined);
  const limiters = { address: unlimited, account: unlimited, accountTotal: unlimited, code: unlimited };
  return {
    passwords: new PasswordChecks({ hasher, limiters, findPassword: unused, isKnownAddress: unused }),
    signer: { sign: unused, verify: unused },
    refreshTokens: new RefreshTokens([]),
    totpSecrets: new SealedSecrets([], ''),
    cursors: { open: unused, encode: unused, next: unused },
    caches: new Caches(0),
    live: { checkRoom: unused, add: unused },
    exports: { start: unused },
    created: unlimited,
    changed: unlimited,
    signUps: unlimited,
    removeLeftovers: unused,
    onPasswordChange: unused,
    webhookSecrets: new SealedSecrets([], 'webhook secrets'),
    webhookTargets: new WebhookTargets([]),
    readiness: unused,
    metrics: unused,
  };
}

function unused(): never {
  throw new Error('This process describes the service and handles no requests.');
}
