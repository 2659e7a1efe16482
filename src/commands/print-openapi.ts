// `orderly openapi`: prints the OpenAPI document of a service with these settings, without a database.
import { DatabaseSync } from 'node:sqlite';
import { createApp } from '../app.ts';
import { createPasswordHasher } from '../auth/password.ts';
import { Caches } from '../caches.ts';
import { openapiDocument } from '../http/openapi.ts';
import { secretBytesMin } from '../limits.ts';
import { createLogger } from '../logger.ts';
import { Connection } from '../storage/connection.ts';
import type { Database } from '../storage/database.ts';
import { newStats } from '../storage/storage-stats.ts';
import { version } from '../version.ts';
import type { Command } from './commands.ts';
import { publicUrlOf } from './serve.ts';

export const printOpenapi: Command = {
  summary: 'prints the OpenAPI document',
  operands: [],
  flags: [],
  async run({ config }) {
    const publicUrl = publicUrlOf(config, config.port);
    const log = createLogger({
      level: 'off',
      sink: process.stderr,
      isTerminal: false,
      hasColor: false,
      now: Date.now,
    });
    const app = createApp({
      config,
      publicUrl,
      log,
      db: noDatabase(),
      caches: new Caches(0),
      secrets: [new Uint8Array(secretBytesMin)],
      hasher: createPasswordHasher(),
      now: Date.now,
      connections: () => ({ open: 0, refused: { full: 0, address: 0 } }),
      isStopping: () => false,
      onPasswordChange: () => {},
      extraRoutes: [],
    });
    app.close();
    return JSON.stringify(openapiDocument(app.router.mounted, publicUrl, version), null, 2);
  },
};

/** The routes want one, but no request comes. */
function noDatabase(): Database {
  const refuse = (): Promise<never> => Promise.reject(new Error('There is no database.'));
  return {
    read: new Connection(new DatabaseSync(':memory:')),
    write: refuse,
    readInWorker: refuse,
    stats: newStats(),
    close: () => Promise.resolve(),
  };
}
