// A headless Firefox for a check, driven by WebDriver BiDi over Node's own WebSocket.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Tab } from '../support/browser.ts';

type Json = { readonly [name: string]: unknown };
type Message = { readonly id?: number; readonly method?: string; readonly params?: Json } & {
  readonly result?: Json;
  readonly message?: string;
};
type Send = (method: string, params?: Json) => Promise<Json>;

/** The keys and buttons that `Tab` needs; WebDriver has private-use characters for keys. */
const keys: Readonly<Record<string, string>> = { Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C' };

const betweenScansMilliseconds = 80;

/** Like `openTab`, except for methods of Chromium: `send` supports only the mouse. */
export async function openFirefox(
  program = process.env['FIREFOX'] ?? 'firefox-esr',
): Promise<Tab & { close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-firefox-'));
  const flags = ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port=0'];
  const child = spawn(program, [...flags, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const socket = new WebSocket(`${await addressOf(child.stderr)}/session`);
  await once(socket, 'open');
  const complaints: string[] = [];
  const send = sender(socket, (message) => {
    const { level, text } = message.params ?? {};
    if (message.method === 'log.entryAdded' && level === 'error') complaints.push(String(text));
  });
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = await send('browsingContext.getTree');
  const [{ context = '' } = {}] = contexts as { context: string }[];
  return {
    ...tabOf(send, { context, complaints }),
    async close() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      socket.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function sender(socket: WebSocket, onEvent: (message: Message) => void): Send {
  const waiting = new Map<number, PromiseWithResolvers<Json>>();
  const state = { count: 0 };
  socket.addEventListener('message', ({ data }) => {
    const message: Message = JSON.parse(String(data));
    if (message.id === undefined) return onEvent(message);
    if (message.result === undefined) waiting.get(message.id)?.reject(new Error(message.message));
    else waiting.get(message.id)?.resolve(message.result);
    waiting.delete(message.id);
  });
  return (method, params = {}) => {
    const answer = Promise.withResolvers<Json>();
    state.count += 1;
    waiting.set(state.count, answer);
    socket.send(JSON.stringify({ id: state.count, method, params }));
    return answer.promise;
  };
}

type Place = { readonly context: string; readonly complaints: string[] };

function tabOf(send: Send, { context, complaints }: Place): Tab {
  /** As JSON, since each value of the protocol has a type of its own. */
  async function evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await send('script.evaluate', {
      expression: `Promise.resolve(eval(${JSON.stringify(expression)})).then((v) => JSON.stringify(v))`,
      target: { context },
      awaitPromise: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    const { value } = result as { value?: string };
    return (value === undefined ? undefined : JSON.parse(value)) as T; // the check knows its type
  }

  const act = (actions: Json): Promise<Json> => send('input.performActions', { context, actions: [actions] });
  const typed = (text: string): Promise<Json> =>
    act({
      type: 'key',
      id: 'keyboard',
      actions: [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]),
    });

  return {
    complaints,
    evaluate,
    async send(method, params = {}) {
      if (params['type'] === 'mouseReleased') return {};
      const at = {
        type: 'pointerMove',
        x: Math.round(Number(params['x'])),
        y: Math.round(Number(params['y'])),
      };
      const press = [
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      const actions = params['type'] === 'mousePressed' ? [at, ...press] : [at];
      return act({ type: 'pointer', id: method, actions });
    },
    async open(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async until(expression) {
      for (let tries = 0; tries < 600; tries += 1) {
        if (await evaluate<boolean>(`Boolean(${expression})`)) return;
        await wait(50);
      }
      throw new Error(`never came true: ${expression}`);
    },
    async press(key) {
      await typed(keys[key] ?? key);
    },
    async type(text) {
      await typed(text);
    },
    async scan(code) {
      await wait(betweenScansMilliseconds);
      await typed(`${code}${keys['Enter']}`);
    },
    async screen(width) {
      await send('browsingContext.setViewport', { context, viewport: { width, height: 900 } });
    },
    async screenshot(file) {
      const { data } = await send('browsingContext.captureScreenshot', { context });
      writeFileSync(file, Buffer.from(String(data), 'base64'));
    },
    async print([width, height]) {
      const page = { width: width / 10, height: height / 10 };
      const { data } = await send('browsingContext.print', { context, page });
      return Buffer.from(String(data), 'base64');
    },
  };
}

async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const address = /WebDriver BiDi listening on (\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('Firefox ended before it listened');
}
