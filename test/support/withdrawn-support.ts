// For the tests of withdrawn rights.
import assert from 'node:assert/strict';
import type { TestService } from './service.ts';
import { openRaw, type RawResponse } from './raw-connection.ts';

export const newPassword = 'another good password';

export async function done(
  response: Promise<{ readonly status: number; readonly text: string }>,
): Promise<void> {
  const { status, text } = await response;
  assert.ok(status < 300, text);
}

/** Resolves once the head has passed its checks (100 Continue) and half of the body is sent. */
export async function sendHalf(
  service: TestService,
  { head, body }: { readonly head: string; readonly body: string },
): Promise<{ sendRest(): Promise<RawResponse> }> {
  const bytes = Buffer.from(body);
  const connection = await openRaw(service.port);
  connection.socket.setNoDelay(true);
  const fields = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}\r\n`;
  connection.write(`${head}${fields}Expect: 100-continue\r\n\r\n`);
  assert.equal((await connection.response()).status, 100);
  connection.write(bytes.subarray(0, bytes.length >> 1));
  return {
    async sendRest() {
      connection.write(bytes.subarray(bytes.length >> 1));
      const response = await connection.response();
      connection.socket.destroy();
      return response;
    },
  };
}
