// The service behind a proxy, always on one port: as the page "Deployment" starts it, but without rates.
import assert from 'node:assert/strict';
import { startChild, type ChildService } from '../../support/child-service.ts';
import { proxiedSettings } from './deployment-page.ts';

export class RestartableService {
  readonly #data: string;
  readonly port: number;
  #child: ChildService | undefined;

  constructor(data: string, port: number) {
    this.#data = data;
    this.port = port;
  }

  async start(): Promise<void> {
    const settings = { ...proxiedSettings, port: String(this.port) };
    this.#child = await startChild({ folder: this.#data, settings });
  }

  async stop(): Promise<void> {
    const ended = await this.#child?.kill('SIGTERM');
    assert.equal(ended?.code, 0, `the service ended with ${ended?.signal ?? ended?.code}`);
  }

  written(): string {
    return this.#child?.written() ?? '';
  }
}
