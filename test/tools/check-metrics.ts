// Checks /metrics of a real service with Prometheus' own promtool: `node test/tools/check-metrics.ts`
// (Debian: prometheus).
import { spawnSync } from 'node:child_process';
import { withService } from '../support/service.ts';

const text = await withService({ settings: { 'rate-default': '600/60' } }, async (service) => {
  const { token } = await service.person('staff');
  await service.get('/orders', { token });
  await service.get('/nowhere');
  return (await service.get('/metrics')).text;
});
const { status, error } = spawnSync('promtool', ['check', 'metrics'], {
  input: text,
  stdio: ['pipe', 'inherit', 'inherit'],
});
if (error !== undefined) console.error(`promtool can't be run: ${error.message}`);
else
  console.log(
    status === 0
      ? `promtool finds nothing wrong with ${text.split('\n').length} lines`
      : 'promtool finds fault',
  );
process.exitCode = status ?? 1;
