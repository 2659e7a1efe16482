// A service of its own for a check: a folder, a port, the defaults, and a reserved public URL.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService, type Service } from '../../../src/service/running-service.ts';
import { readCommandLine } from '../../../src/service/command-line.ts';
import { LineLogger } from '../../../src/base/logger.ts';

export const admin = { email: 'admin@example.com', password: 'the first administrator' };

export async function withService<T>(use: (service: Service, baseUrl: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-check-'));
  const flags = ['--port=0', '--tls=off', `--data=${folder}`, '--public-url=https://orders.test'];
  const { config } = readCommandLine(flags, {
    environment: { ORDERLY_ADMIN_EMAIL: admin.email, ORDERLY_ADMIN_PASSWORD: admin.password },
  });
  const log = new LineLogger({
    level: 'off',
    sink: process.stdout,
    isTerminal: false,
    hasColor: false,
    now: Date.now,
  });
  const service = await startService({ config, log });
  try {
    return await use(service, service.localUrl.replace('localhost', '127.0.0.1'));
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}
