// What the features of a service share, made from its settings and the parts of a running service.
import type { PasswordHasher } from '../auth/password.ts';
import { once } from '../base/once.ts';
import { Turns } from '../base/turns.ts';
import { version } from '../base/version.ts';
import type { FeatureServices, Running } from '../features/feature.ts';
import { createPasswordChecks } from '../features/users/password-checks.ts';
import { Exports } from '../http/lists/export.ts';
import { Lists } from '../http/lists/list.ts';
import { Router } from '../http/routing/router.ts';
import { createLimiters } from '../rates/limiter.ts';
import { Caches } from './caches.ts';
import { createCryptography } from './cryptography.ts';
import { declared, featuresWithout, problemPageOf, tagsOf } from './features.ts';

type CoreOptions = Running & {
  readonly secrets: readonly Uint8Array[];
  readonly hasher: PasswordHasher;
};

export type Core = ReturnType<typeof createCore>;

/** Returns what features share, and what only the service itself uses, such as the store of responses. */
export function createCore({ secrets, hasher, ...running }: CoreOptions) {
  const { config, publicUrl, log, timers } = running;
  const chosen = featuresWithout(config.without);
  const router = new Router();
  const turns = new Turns();
  const limiters = createLimiters(config.rates);
  const caches = new Caches(config.cacheBytes);
  const exports = new Exports({ log, timers });
  /** The first call loads the generator and creates the document. */
  const describe = once(async () => {
    const { openapiDocument } = await import('../openapi/openapi.ts');
    return turns.runSteps(openapiDocument(router.mounted, { tags: tagsOf(chosen), publicUrl, version }));
  });
  const { storedResponses: responseStore, ...cryptography } = createCryptography(secrets, publicUrl);
  const services: FeatureServices = {
    ...running,
    ...cryptography,
    limiters,
    caches,
    exports,
    turns,
    passwords: createPasswordChecks(hasher, limiters),
    lists: new Lists(exports),
    has: (name) => chosen.some((feature) => feature.name === name),
    describe,
    problemPage: problemPageOf(chosen, describe),
    declared,
  };
  return { services, router, responseStore, caches, exports };
}
