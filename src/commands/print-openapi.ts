// `orderly openapi`: prints the OpenAPI document of a service with these settings, from its routes alone.
import { randomBytes } from 'node:crypto';
import { Caches } from '../assembly/caches.ts';
import { createCryptography } from '../assembly/cryptography.ts';
import { secretBytesMin } from '../auth/jwt.ts';
import { createLimiters } from '../rates/limiter.ts';
import { publicUrlOf } from '../assembly/listening.ts';
import type { Config } from '../config/config.ts';
import { openapiDocument } from '../openapi/openapi.ts';
import { mountRoutes, type HandlerServices } from '../route-groups.ts';
import { PasswordChecks } from '../resources/flows/password-checks.ts';
import { WebhookTargets } from '../resources/webhooks/webhook-targets.ts';
import { version } from '../base/version.ts';
import type { Command } from './commands.ts';

export const printOpenapi: Command = {
  summary: 'prints the OpenAPI document',
  operands: [],
  flags: [],
  async run({ config }) {
    const publicUrl = publicUrlOf(config, config.port);
    const { mounted } = mountRoutes({ config, publicUrl, extraRoutes: [] }, notServing(config, publicUrl));
    return JSON.stringify(await openapiDocument(mounted, publicUrl, version), null, 2);
  },
};

/** Routes are declared here and never handled: all that a handler would use throws. */
function notServing(config: Config, publicUrl: string): HandlerServices {
  const hasher = { hash: unused, verify: unused, needsUpgrade: unused, close: unused, waiting: 0 };
  const limiters = createLimiters(config.rates);
  return {
    ...createCryptography([randomBytes(secretBytesMin)], publicUrl),
    passwords: new PasswordChecks({ hasher, limiters, findSignInAccount: unused, isKnownAddress: unused }),
    limiters,
    caches: new Caches(0),
    live: { checkCapacity: unused, add: unused },
    exports: { createResult: unused },
    imports: { createResult: unused },
    webhookTargets: new WebhookTargets([]),
    onWebhookEnabled: unused,
    cleanup: { runInBackground: unused },
    onPasswordChange: unused,
    readiness: unused,
    metrics: unused,
  };
}

function unused(): never {
  throw new Error('This process describes the service and handles no requests.');
}
