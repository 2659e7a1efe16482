// Writes test/data/currency-digits.json, with which a test compares src/schema/decimal.ts: list one of ISO 4217 as the
// package currency-codes has it (MIT), and the digits that a JDK's java.util.Currency keeps of withdrawn currencies.
// Needs npm and a JDK: node test/tools/read-currency-digits.ts
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const version = '2.2.0';

const program = `
public class Digits {
  public static void main(String[] arguments) {
    System.out.println(System.getProperty("java.version"));
    for (java.util.Currency each : java.util.Currency.getAvailableCurrencies())
      System.out.println(each.getCurrencyCode() + " " + each.getDefaultFractionDigits());
  }
}`;

type Digits = readonly (readonly [code: string, digits: string])[];

function listOne(folder: string): { readonly published: string; readonly digits: Digits } {
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const packed = execFileSync('npm', ['pack', '--silent', `currency-codes@${version}`], options).trim();
  execFileSync('tar', ['xzf', packed], options);
  const text = readFileSync(join(folder, 'package/iso-4217-list-one.xml'), 'utf8');
  const [, published = ''] = /Pblshd="([\d-]+)"/.exec(text) ?? [];
  const entries = text.matchAll(/<Ccy>(\w+)<\/Ccy>\s*<CcyNbr>\d+<\/CcyNbr>\s*<CcyMnrUnts>(\d)</g);
  return { published, digits: Array.from(entries, ([, code = '', digits = '']) => [code, digits] as const) };
}

function ofJdk(folder: string): { readonly java: string; readonly digits: Digits } {
  const file = join(folder, 'Digits.java');
  writeFileSync(file, program);
  const [java = '', ...lines] = execFileSync('java', [file], { encoding: 'utf8' }).trim().split('\n');
  const digits = lines.map((line) => [line.slice(0, 3), line.slice(4)] as const);
  return { java, digits: digits.filter(([, count]) => count !== '-1') };
}

/** Codes by their digits. */
function grouped(digits: Digits): Record<string, string> {
  const groups = Map.groupBy(digits, ([, count]) => count);
  const sorted = [...groups].sort(([a], [b]) => Number(a) - Number(b));
  return Object.fromEntries(
    sorted.map(([count, pairs]) => [count, [...new Set(pairs.map(([code]) => code))].sort().join(' ')]),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'currency-digits-'));
try {
  const { published, digits } = listOne(folder);
  const { java, digits: kept } = ofJdk(folder);
  const active = new Set(digits.map(([code]) => code));
  const data = {
    source: `list one of ISO 4217 of ${published}, in currency-codes ${version}; withdrawn: java.util.Currency of JDK ${java}`,
    listOne: grouped(digits),
    jdkOnly: grouped(kept.filter(([code]) => !active.has(code))),
  };
  writeFileSync(
    new URL('../data/currency-digits.json', import.meta.url),
    `${JSON.stringify(data, null, 1)}\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
