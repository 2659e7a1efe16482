// Security 19 and 20: the effect of a proxy's header fields, or of another Host.
import { startAbused } from './abused-service.ts';
import { ask } from './attack-client.ts';
import { countsOf, type Row, type Target } from './attack.ts';

const requestsBehindProxy = 300;

export async function forwardedRequests(target: Target): Promise<Row[]> {
  return [await metricsThroughProxy(target), await ownForwardedFor(target)];
}

async function metricsThroughProxy(target: Target): Promise<Row> {
  const service = await startAbused(target, { settings: { tls: 'self-signed' } });
  const statusWith = async (headers: Record<string, string>): Promise<number> =>
    (await ask(service.port, 'GET', '/metrics', { isTls: true, headers })).status;
  const proxied = await statusWith({ 'X-Forwarded-For': '203.0.113.9' });
  const forwarded = await statusWith({ Forwarded: 'for=203.0.113.9' });
  const rebound = await statusWith({ Host: 'evil.example' });
  const own = await statusWith({ Host: 'localhost' });
  await service.stop();
  return {
    attack: '19 /metrics as "loopback"',
    done: 'over TLS with X-Forwarded-For, with Forwarded, with a foreign Host; with Host: localhost',
    achieved: `statuses ${proxied}, ${forwarded}, ${rebound}; ${own}`,
  };
}

async function ownForwardedFor(target: Target): Promise<Row> {
  const service = await startAbused(target, { settings: { 'trusted-proxy': '127.0.0.1' } });
  const statuses: number[] = [];
  for (let index = 0; index < requestsBehindProxy; index += 1) {
    const headers = {
      Forwarded: 'for=198.51.100.7;proto=https',
      'X-Forwarded-For': `10.${index >> 8}.${index & 255}.1`,
    };
    statuses.push((await ask(service.port, 'GET', '/problems', { headers })).status);
  }
  await service.stop();
  const passed = statuses.filter((status) => status === 200).length;
  return {
    attack: '20 own X-Forwarded-For beside Forwarded',
    done: `${requestsBehindProxy} requests, each claiming another address: ${countsOf(statuses)}`,
    achieved: `passed a limit of 120: ${passed}`,
  };
}
