// `orderly openapi`: prints the OpenAPI document of a service with these settings, from its routes alone.
import { randomBytes } from 'node:crypto';
import { secretBytesMin } from '../auth/jwt.ts';
import { systemTimers } from '../base/timers.ts';
import { Turns } from '../base/turns.ts';
import { version } from '../base/version.ts';
import type { Config } from '../config/config.ts';
import { Lists } from '../http/lists/list.ts';
import { Router } from '../http/routing/router.ts';
import { createLimiters } from '../rates/limiter.ts';
import { PasswordChecks } from '../features/users/password-checks.ts';
import { Caches } from '../service/caches.ts';
import { createCryptography } from '../service/cryptography.ts';
import type { Core } from '../features/feature.ts';
import { declared, featuresWithout, problemPageOf, tagsOf, withoutIssues } from '../service/features.ts';
import { publicUrlOf } from '../service/listening.ts';
import { describerOf } from '../service/running-service.ts';
import { Connection } from '../storage/connection.ts';
import { openSqlite } from '../storage/database-file.ts';
import { neverSet, shopInEffect } from '../features/shop/shop.ts';
import type { Command } from './command.ts';

export const printOpenapi: Command = {
  summary: 'prints the OpenAPI document',
  operands: [],
  flags: [],
  configIssues: ({ without }) => withoutIssues(without),
  async run({ config }) {
    const router = new Router();
    const core = notServing(config, router);
    const creators = await Promise.all(featuresWithout(config.without).map((feature) => feature.load()));
    for (const group of creators.flatMap((create) => create(core).groups)) router.mount(group);
    return JSON.stringify(await core.describe(), null, 2);
  },
};

/** Declares routes without serving them: everything that a handler would use throws. */
function notServing(config: Config, router: Router): Core {
  const publicUrl = publicUrlOf(config, config.port);
  const hasher = { hash: unused, verify: unused, needsUpgrade: unused, close: unused, waiting: 0 };
  const limiters = createLimiters(config.rates);
  const cryptography = createCryptography([randomBytes(secretBytesMin)], publicUrl);
  const caches = new Caches(0);
  const exports = { createResult: unused };
  const turns = new Turns();
  const chosen = featuresWithout(config.without);
  const describe = describerOf(router, { tags: tagsOf(chosen), publicUrl, version }, turns);
  return {
    ...cryptography,
    config,
    publicUrl,
    database: { read: new Connection(openSqlite(':memory:')), write: unused },
    caches,
    shop: { now: shopInEffect(neverSet, config), country: undefined, onSync: unused },
    limiters,
    passwords: new PasswordChecks(hasher, limiters),
    exports,
    lists: new Lists(exports),
    log: { write: unused, request: unused, flush: unused },
    now: unused,
    timers: systemTimers,
    turns,
    lookup: undefined,
    stopping: new AbortController().signal,
    has: (name) => !config.without.includes(name),
    describe,
    problemPage: problemPageOf(chosen, describe),
    metricsText: unused,
    readiness: unused,
    authorityPem: unused,
    declared,
    cleanUp: unused,
  };
}

function unused(): never {
  throw new Error('This process describes the service and handles no requests.');
}
