// `npm run check:abuse`: attacks services of its own with default settings, and prints what each attack achieved.
// People judge the figures. `-- NAME…` for some of the attacks; ORDERLY_EXECUTABLE names an executable to attack.
import { rmSync } from 'node:fs';
import { abuse, prepareData } from './check-abuse/abused-service.ts';
import { attacks } from './check-abuse/attacks.ts';

const named = process.argv.slice(2);
const unknown = named.filter((name) => attacks[name] === undefined);
if (unknown.length > 0) throw new Error(`The attacks are ${Object.keys(attacks).join(', ')}.`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const { folder, people } = await prepareData();
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log('| attack | what was done | what it achieved |\n|---|---|---|');
for (const [name, { done, attack, ...options }] of Object.entries(attacks)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const attacked = abuse((service) => attack(service, people), { folder, ...options });
  const achieved = await attacked.catch((error: unknown) => `the attack itself failed: ${error}`);
  console.log(`| ${name} | ${done} | ${achieved.replaceAll(/\s*[|\n]\s*/g, ' ')} |`);
}
