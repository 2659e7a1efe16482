// An operation's call as a person would write it: with curl, and in JavaScript.

export type Call = {
  readonly method: string;
  readonly url: string;
  readonly needsToken: boolean;
  readonly takesKey: boolean;
  readonly body: unknown;
  readonly answers: 'json' | 'text' | 'nothing';
};

/** `curl` is the command with what it needs to trust the service. */
export function curlExample({ method, url, needsToken, takesKey, body }: Call, curl: string): string {
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  return [
    `${curl} ${isImplied ? '' : `-X ${method} `}${url}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(takesKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined ? [] : [`--json '${json(body).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');
}

export function scriptExample({ method, url, needsToken, takesKey, body, answers }: Call): string {
  const headers = [
    ...(needsToken ? ['Authorization: `Bearer ${token}`'] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
    ...(takesKey ? ["'Idempotency-Key': crypto.randomUUID()"] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',\n`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },\n`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${json(body).replaceAll('\n', '\n  ')}),\n`]),
  ];
  const call = `const response = await fetch('${url}'${options.length === 0 ? '' : `, {\n${options.join('')}}`});\n`;
  const result = answers === 'nothing' ? '' : `\nconst answer = await response.${answers}();`;
  return `${call}if (!response.ok) throw new Error((await response.json()).detail);${result}`;
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
