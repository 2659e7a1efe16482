// An operation's call as a person would write it: with curl, and in JavaScript.
import { successOf, type Operation } from './docs-description.ts';

type Call = ReturnType<typeof callOf>;

export function callOf(
  operation: Operation,
  call: { readonly method: string; readonly url: string; readonly body: unknown },
) {
  const types = Object.keys(successOf(operation)[1].content ?? {});
  return {
    ...call,
    answers: types.length === 0 ? 'nothing' : types.some((type) => type.endsWith('json')) ? 'json' : 'text',
    needsToken:
      operation.security.length > 0 && operation.security.every((each) => Object.keys(each).length > 0),
    takesKey: operation.parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key')),
  };
}

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
