// A headless Chromium for a check, driven by the DevTools protocol over Node's own WebSocket.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runProgram } from './running-program.ts';

type Json = { readonly [name: string]: unknown };
type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params: Json;
  readonly result?: Json;
  readonly error?: { readonly message: string };
};

export type Tab = {
  /**
   * Errors on the console, exceptions, and what the Content-Security-Policy rejected, since it was opened.
   * Responses of 400 and above don't count.
   */
  readonly complaints: string[];
  send(method: string, params?: Json): Promise<Json>;
  open(url: string): Promise<void>;
  /** The value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until the expression is true, 30 s at most: other checks take the machine, too. */
  until(expression: string): Promise<void>;
  /** Presses Tab, Enter, Escape … */
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  /**
   * Types like a scanner: each character is a key, 5 ms after the one before, and Enter ends them. A slower scanner
   * takes its time. Characters of `scannedKeys` are other keys.
   */
  scan(code: string, scanner?: Scanner): Promise<void>;
  screen(width: number, scheme: 'light' | 'dark'): Promise<void>;
  screenshot(file: string): Promise<void>;
  /** The page as it is printed, with the document’s own margins if it has some. */
  print(paper: Paper): Promise<Buffer>;
};

export type Scanner = {
  readonly milliseconds?: number;
  readonly end?: 'Enter' | 'Tab';
  /** After as many keys there is a pause of 0.4 s. */
  readonly pauseAfter?: number;
};

/** The width and height in millimetres. */
export type Paper = readonly [width: number, height: number];

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-port=0',
];
/** A browser that hangs, or has ended, fails the test that uses it. */
const answerMillisecondsMax = 30_000;
const keyCodes: Readonly<Record<string, number>> = { Tab: 9, Enter: 13, Escape: 27, ' ': 32, '/': 191 };
const enterKey = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' };
const tabKey = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };
/** The keys that scanners send for control characters: some have a function key for the separator of GS1. */
const scannedKeys: Readonly<Record<string, Json>> = {
  '\r': enterKey,
  '\t': tabKey,
  '\u001d': { key: 'F8', code: 'F8', windowsVirtualKeyCode: 119 },
  ...Object.fromEntries(
    [...'۰۱۲۳۴۵۶۷۸۹'].map((key, digit) => [key, { key, text: key, code: `Digit${digit}` }]),
  ),
};
/** Between two scans, and between a scan and what a hand presses. */
const [betweenScansMilliseconds, afterScanMilliseconds] = [60, 160];

/** A tab in its own browser, which ends with `close`; `another` opens a second tab. */
export async function openTab(
  program = process.env['CHROMIUM'] ?? 'chromium',
): Promise<Tab & { another(): Promise<Tab>; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-browser-'));
  const browser = runProgram([program, ...flags, `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [, address = ''] = await browser.writes(/^DevTools listening on (\S+)/m);
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<Json>>();
  const complaints: string[] = [];
  let count = 0;

  socket.addEventListener('message', ({ data }) => {
    const message: Message = JSON.parse(String(data));
    const complaint = complaintOf(message);
    if (complaint !== undefined) complaints.push(complaint);
    if (message.id === undefined) return;
    if (message.error === undefined) waiting.get(message.id)?.resolve(message.result ?? {});
    else waiting.get(message.id)?.reject(new Error(message.error.message));
    waiting.delete(message.id);
  });

  function sendTo(session: object, method: string, params: Json): Promise<Json> {
    const answer = Promise.withResolvers<Json>();
    count += 1;
    waiting.set(count, answer);
    socket.send(JSON.stringify({ id: count, method, params, ...session }));
    const late = new Error(`Chromium did not answer ${method} ${JSON.stringify(params)}`);
    const timer = setTimeout(() => answer.reject(late), answerMillisecondsMax);
    return answer.promise.finally(() => clearTimeout(timer));
  }

  async function close(): Promise<void> {
    await sendTo({}, 'Browser.close', {}).catch(() => browser.child.kill('SIGKILL'));
    await browser.ended;
    socket.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async function another(): Promise<Tab> {
    const { targetId } = await sendTo({}, 'Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await sendTo({}, 'Target.attachToTarget', { targetId, flatten: true });
    const send = (method: string, params: Json = {}): Promise<Json> => sendTo({ sessionId }, method, params);
    for (const domain of ['Page', 'Runtime', 'Log', 'Audits']) await send(`${domain}.enable`);
    return tabOf(send, complaints);
  }

  return { ...(await another()), another, close };
}

function tabOf(send: Tab['send'], complaints: string[]): Tab {
  async function evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return (result as { value: T }).value; // the check knows its type
  }

  async function until(expression: string): Promise<void> {
    let cause: unknown;
    for (let tries = 0; tries < 600; tries += 1) {
      // a page that is reloaded is gone before it answers, and the next one has no body at first
      const answer = evaluate<boolean>(`Boolean(${expression})`);
      const isTrue = await answer.catch((error: unknown) => void (cause = error));
      if (isTrue === true) return;
      await wait(50);
    }
    throw new Error(`never came true: ${expression}`, { cause });
  }

  /** When the last key of a scan was pressed, in milliseconds since 1970. */
  let scannedAt = 0;
  const pauseAfterScan = (milliseconds: number): Promise<void> =>
    wait(Math.max(scannedAt + milliseconds - Date.now(), 0));
  const sendLater: Tab['send'] = async (method, params) => {
    if (method === 'Input.dispatchKeyEvent') await pauseAfterScan(afterScanMilliseconds);
    return send(method, params);
  };

  return {
    complaints,
    send: sendLater,
    evaluate,
    until,
    async open(url) {
      await send('Page.navigate', { url });
      await until(`document.readyState === "complete" && location.href.startsWith(${JSON.stringify(url)})`);
    },
    async press(key) {
      const about = {
        key,
        code: key,
        windowsVirtualKeyCode: keyCodes[key] ?? 0,
        ...(key === 'Enter' ? { text: '\r' } : {}),
      };
      await sendLater('Input.dispatchKeyEvent', { type: 'keyDown', ...about });
      await sendLater('Input.dispatchKeyEvent', { type: 'keyUp', ...about });
    },
    async type(text) {
      await send('Input.insertText', { text });
    },
    async scan(code, { milliseconds = 5, end = 'Enter', pauseAfter = Infinity } = {}) {
      const keys = [...code].map((key): Json => scannedKeys[key] ?? { key, text: key });
      const enter = end === 'Enter' ? enterKey : tabKey;
      await pauseAfterScan(betweenScansMilliseconds);
      const start = Date.now() / 1_000;
      scannedAt = start * 1_000 + keys.length * milliseconds;
      const sent: Promise<Json>[] = [];
      for (const [index, key] of [...keys, enter].entries()) {
        // with times of their own, since a busy machine takes longer than a scanner
        const timestamp = start + (index * milliseconds + (index < pauseAfter ? 0 : 400)) / 1_000;
        if (milliseconds > 5 || index >= pauseAfter) await wait(Math.max(timestamp * 1_000 - Date.now(), 1));
        for (const type of ['keyDown', 'keyUp'])
          sent.push(send('Input.dispatchKeyEvent', { type, timestamp, ...key }));
      }
      await Promise.all(sent);
    },
    async screen(width, scheme) {
      await send('Emulation.setDeviceMetricsOverride', {
        width,
        height: width < 600 ? 844 : 900,
        deviceScaleFactor: 1,
        mobile: width < 600,
      });
      await send('Emulation.setEmulatedMedia', {
        features: [
          { name: 'prefers-color-scheme', value: scheme },
          { name: 'prefers-reduced-motion', value: 'reduce' },
        ],
      });
    },
    async screenshot(file) {
      const { data } = await send('Page.captureScreenshot', { format: 'png' });
      writeFileSync(file, Buffer.from(String(data), 'base64'));
    },
    async print([width, height]) {
      const paper = { paperWidth: width / 25.4, paperHeight: height / 25.4 };
      const { data } = await send('Page.printToPDF', paper);
      return Buffer.from(String(data), 'base64');
    },
  };
}

function complaintOf({ method, params }: Message): string | undefined {
  const entry = params?.['entry'] as { level: string; source: string; text: string } | undefined;
  if (method === 'Log.entryAdded' && entry?.level === 'error' && entry.source !== 'network')
    return entry.text;
  if (method === 'Runtime.exceptionThrown') return JSON.stringify(params['exceptionDetails']);
  if (
    method === 'Runtime.consoleAPICalled' &&
    ['error', 'warning', 'assert'].includes(String(params['type']))
  )
    return JSON.stringify(params['args']);
  const issue = JSON.stringify(params?.['issue'] ?? '');
  if (method === 'Audits.issueAdded' && issue.includes('ContentSecurityPolicyIssue')) return issue;
  return undefined;
}
