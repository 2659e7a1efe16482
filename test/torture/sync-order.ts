// Reads a trace of the service's system calls, and finds responses that left before the change that they
// report or show was on disk.

/** Calls of `strace -f -y -s 4200`, with the writes and syncs of the WAL and what is sent over sockets. */
export const traced = 'fdatasync,fsync,pwrite64,pwritev,write,writev,sendto,sendmsg';

type Call = {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly result: string;
  readonly begin: number;
  readonly end: number;
};
type Span = { readonly begin: number; readonly end: number };
type Commit = { readonly tags: ReadonlySet<string>; readonly end: number };
type TestResponse = { readonly tag: string; readonly shown: readonly string[]; readonly begin: number };

export type Verdict = {
  readonly violations: string[];
  /** Responses to changes, and to reads of changes. */
  readonly responses: number;
  readonly reads: number;
  readonly commits: number;
  readonly syncs: number;
};

/**
 * A response's X-Request-Id is its tag. `many-…`: the tag is in the row that was changed, so in a page of the
 * commit. `solo-…`: the request was the only one under way, so its commit lies between the response before it
 * and its own. `read-…`: what it shows are tags of changes.
 */
export function judge(trace: string): Verdict {
  const commits: Commit[] = [];
  const syncs: Span[] = [];
  const all: TestResponse[] = [];
  const collect = createCollector(commits);
  for (const call of callsIn(trace)) {
    const isWal = call.file.endsWith('/orderly.db-wal');
    if (isWal && call.name === 'pwrite64') collect(call);
    else if (isWal && call.name.endsWith('sync') && call.result === '0') syncs.push(call);
    else if (call.file.startsWith('socket:')) all.push(...responsesIn(call));
  }
  const reads = all.filter(({ tag }) => tag.startsWith('read'));
  const responses = all.filter(({ tag }) => !tag.startsWith('read')).sort((a, b) => a.begin - b.begin);
  const violations = [
    ...responses.flatMap(({ tag, begin }, index) => {
      const from = responses[index - 1]?.begin ?? 0;
      const commit = tag.startsWith('many') ? commitOf(tag) : commits.find(({ end }) => end > from);
      return tooEarly(commit, `${tag} was answered`, begin);
    }),
    ...reads.flatMap(({ tag, shown, begin }) =>
      shown.flatMap((change) => tooEarly(commitOf(change), `${tag} showed ${change}`, begin)),
    ),
  ];

  function commitOf(tag: string): Commit | undefined {
    return commits.find(({ tags }) => tags.has(tag));
  }

  function tooEarly(commit: Commit | undefined, what: string, begin: number): string[] {
    if (commit === undefined || commit.end > begin)
      return [`${what} in line ${begin}, and no commit of it was written before.`];
    if (syncs.some((sync) => sync.begin > commit.end && sync.end < begin)) return [];
    const since = 'with no sync of the log from begin to end between';
    return [`${what} in line ${begin}, and was committed in line ${commit.end}, ${since}.`];
  }

  return {
    violations,
    responses: responses.length,
    reads: reads.length,
    commits: commits.length,
    syncs: syncs.length,
  };
}

/** One call may send several responses of one turn, or a part of one. */
function responsesIn({ text, begin }: Call): TestResponse[] {
  const found = text.matchAll(
    /HTTP\/1\.1 20\d.*?X-Request-Id: ((?:many|solo|read)-\d+)(.*?)(?=HTTP\/1\.1 |$)/gs,
  );
  return [...found].map(([, tag = '', rest = '']) => ({
    tag,
    shown: [...rest.matchAll(/many-\d+/g)].map(([change]) => change),
    begin,
  }));
}

/**
 * A commit is over with the page whose frame header says how long the database is now
 * (https://sqlite.org/fileformat.html, section 4.1).
 */
function createCollector(commits: Commit[]): (call: Call) => void {
  let tags = new Set<string>();
  let isLast = false;
  return ({ text, end }) => {
    const bytes = text.length > 200 ? '' : unescaped(text);
    if (bytes.length === 24) {
      isLast = bytes.slice(4, 8) !== '\0\0\0\0';
      return;
    }
    for (const [tag] of text.matchAll(/many-\d+/g)) tags.add(tag);
    if (!isLast) return;
    commits.push({ tags, end });
    tags = new Set();
    isLast = false;
  };
}

/**
 * In the order of their ends. A call that others interrupt is in two lines: it begins with the first and ends
 * with the second.
 */
function* callsIn(trace: string): Generator<Call> {
  const unfinished = new Map<string, { readonly line: string; readonly begin: number }>();
  let number = 0;
  for (const line of lines(trace)) {
    number += 1;
    const [pid = ''] = line.split(' ', 1);
    const rest = line.slice(pid.length).trimStart();
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(pid, { line: rest.slice(0, -'<unfinished ...>'.length), begin: number });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest);
    const before = resumed === null ? undefined : unfinished.get(pid);
    if (resumed !== null) unfinished.delete(pid);
    const call = callIn(
      before === undefined ? rest : before.line + rest.slice(resumed?.[0].length),
      before?.begin ?? number,
      number,
    );
    if (call !== undefined) yield call;
  }
}

function callIn(line: string, begin: number, end: number): Call | undefined {
  const head = /^(\w+)\(\d+<([^>]*)>/.exec(line);
  const tail = /\) += (-?\d+)[^"]*$/.exec(line);
  if (head === null || tail === null) return undefined;
  const [, name = '', file = ''] = head;
  const text = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, string = '']) => string).join('');
  return { name, file, text, result: tail[1] ?? '', begin, end };
}

function* lines(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const to = text.indexOf('\n', from);
    yield text.slice(from, to === -1 ? text.length : to);
    from = to === -1 ? text.length : to + 1;
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f' };

/** As strace writes strings: \0 to \377 in octal, and the escapes of C. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{1,3}|.)/gs, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code),
  );
}
