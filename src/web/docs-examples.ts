// An operation's call as a person would write it: with curl, and in JavaScript.
import { successOf, type Operation } from './docs-description.ts';

type Call = ReturnType<typeof callOf>;

export function callOf(
  operation: Operation,
  call: { readonly method: string; readonly url: string; readonly body: unknown },
) {
  return {
    ...call,
    answers: answerOf(operation),
    needsToken:
      operation.security.length > 0 && operation.security.every((each) => Object.keys(each).length > 0),
    takesKey: operation.parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key')),
  };
}

function answerOf(operation: Operation): 'nothing' | 'json' | 'text' {
  const types = Object.keys(successOf(operation)[1].content ?? {});
  if (types.length === 0) return 'nothing';
  return types.some((type) => type.endsWith('json')) ? 'json' : 'text';
}

export function curlExample({ method, url, needsToken, takesKey, body }: Call, curl: string): string {
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  const parts = [isImplied ? `${curl} ${url}` : `${curl} -X ${method} ${url}`];
  if (needsToken) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (takesKey) parts.push('-H "Idempotency-Key: $(uuidgen)"');
  if (body !== undefined) parts.push(`--json '${json(body).replaceAll("'", "'\\''")}'`);
  return parts.join(' \\\n  ');
}

export function scriptExample({ method, url, needsToken, takesKey, body, answers }: Call): string {
  const headers: string[] = [];
  if (needsToken) headers.push('Authorization: `Bearer ${token}`');
  if (body !== undefined) headers.push("'Content-Type': 'application/json'");
  if (takesKey) headers.push("'Idempotency-Key': crypto.randomUUID()");
  const options: string[] = [];
  if (method !== 'GET') options.push(`  method: '${method}',\n`);
  if (headers.length > 0) options.push(`  headers: { ${headers.join(', ')} },\n`);
  if (body !== undefined) options.push(`  body: JSON.stringify(${indented(body)}),\n`);
  const init = options.length === 0 ? '' : `, {\n${options.join('')}}`;
  const call = `const response = await fetch('${url}'${init});\n`;
  const result = answers === 'nothing' ? '' : `\nconst answer = await response.${answers}();`;
  return `${call}if (!response.ok) throw new Error((await response.json()).detail);${result}`;
}

function indented(body: unknown): string {
  return json(body).replaceAll('\n', '\n  ');
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
