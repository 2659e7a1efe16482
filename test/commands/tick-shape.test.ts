// What V8 knows of the objects that `process.nextTick` queues, after it has collected all of them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '--eval'];
const { href } = new URL('../../src/commands/tick-shape.ts', import.meta.url);
/** Prints what V8 has learned from each definition of a computed property in `process.nextTick`. */
const program = `
  for (let count = 0; count < 50; count += 1) await new Promise((resolve) => process.nextTick(resolve));
  for (let count = 0; count < 3; count += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc();
  }
  await new Promise((resolve) => process.nextTick(resolve));
  const learned = %GetFeedback(process.nextTick).filter(([kind]) => kind.startsWith('DefineKeyed'));
  console.log(learned.some(([, state]) => state.startsWith('MEGAMORPHIC')));
`;

async function isForgotten(begin: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, begin + program]);
  return JSON.parse(stdout); // a boolean
}

const tells = Number.parseInt(process.versions.node, 10) >= 26;

test(
  'after a collection of garbage V8 still knows the shape of ticks, which it would forget',
  { skip: !tells && 'the V8 of this Node does not tell what it has learned' },
  async () => {
    const keeping = `import { keepTickShape } from ${JSON.stringify(href)}; keepTickShape();`;
    const [kept, otherwise] = await Promise.all([isForgotten(keeping), isForgotten('')]);
    assert.deepEqual({ kept, otherwise }, { kept: false, otherwise: true });
  },
);
