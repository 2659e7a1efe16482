// `orderly openapi`: prints the OpenAPI document of a service with these settings, from its routes alone.
import { randomBytes } from 'node:crypto';
import { secretBytesMin } from '../auth/jwt.ts';
import { systemTimers } from '../base/timers.ts';
import type { Config } from '../config/config.ts';
import { neverSet, shopInEffect } from '../features/shop/shop.ts';
import type { CommandLine } from '../service/command-line.ts';
import { createCore, type Core } from '../service/core.ts';
import { featuresWithout } from '../service/features.ts';
import { publicUrlOf } from '../service/listening.ts';
import { Connection } from '../storage/connection.ts';
import { openSqlite } from '../storage/database-file.ts';

export async function printOpenapi({ config }: CommandLine): Promise<string> {
  const { services, router } = notServing(config);
  const creators = await Promise.all(featuresWithout(config.without).map((feature) => feature.load()));
  for (const group of creators.flatMap((create) => create(services).groups)) router.mount(group);
  return JSON.stringify(await services.describe(), null, 2);
}

/** Declares routes without serving them: everything that a handler would use throws. */
function notServing(config: Config): Core {
  return createCore({
    config,
    publicUrl: publicUrlOf(config, config.port),
    secrets: [randomBytes(secretBytesMin)],
    hasher: { hash: unused, verify: unused, needsUpgrade: unused, close: unused, waiting: 0 },
    database: { read: new Connection(openSqlite(':memory:')), write: unused },
    shop: { inEffect: shopInEffect(neverSet, config), country: undefined, onDurableChanges: unused },
    log: { write: unused, request: unused, flush: unused },
    now: unused,
    timers: systemTimers,
    lookup: undefined,
    stopping: new AbortController().signal,
    metricsText: unused,
    readiness: unused,
    authorityPem: unused,
    runCleanup: unused,
  });
}

function unused(): never {
  throw new Error('This process describes the service and handles no requests.');
}
