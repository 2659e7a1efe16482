// Calls of an operation as people write them: with curl, in JavaScript and in Python.
import { successOf, type Operation } from './api-document.ts';

export type Language = 'curl' | 'JavaScript' | 'Python';

/** The header field with the credential in each language; the page's script fills in the real one. */
export const credentials: Readonly<Record<Language, string>> = {
  curl: 'Authorization: Bearer $TOKEN',
  JavaScript: 'Authorization: `Bearer ${token}`',
  Python: '"Authorization": f"Bearer {token}"',
};

/** The kind of certificate. For the service's own certificate, samples say how to trust it. */
export type Trust = 'a public certificate' | 'its own certificate';

type Call = ReturnType<typeof callOf>;

export function callOf(
  operation: Operation,
  call: { readonly method: string; readonly url: string; readonly type?: string; readonly body: unknown },
) {
  return {
    ...call,
    result: resultOf(operation),
    needsToken:
      operation.security.length > 0 && operation.security.every((each) => Object.keys(each).length > 0),
    takesKey: operation.parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key')),
  };
}

function resultOf(operation: Operation): 'nothing' | 'json' | 'text' {
  const types = Object.keys(successOf(operation)[1].content ?? {});
  if (types.length === 0) return 'nothing';
  return types.some((type) => /[/+]json$/.test(type)) ? 'json' : 'text';
}

export function examplesOf(call: Call, trust: Trust): Readonly<Record<Language, string>> {
  return {
    curl: curlExample(call, trust),
    JavaScript: scriptExample(call),
    Python: pythonExample(call, trust),
  };
}

export function curlCommand(trust: Trust): string {
  return trust === 'its own certificate' ? 'curl --cacert data/tls/ca.pem' : 'curl';
}

function curlExample({ method, url, needsToken, takesKey, type, body }: Call, trust: Trust): string {
  const curl = curlCommand(trust);
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  const parts = [isImplied ? `${curl} ${url}` : `${curl} -X ${method} ${url}`];
  if (needsToken) parts.push(`-H "${credentials.curl}"`);
  if (takesKey) parts.push('-H "Idempotency-Key: $(uuidgen)"');
  if (body !== undefined) {
    parts.push(`-H 'Content-Type: ${type}'`);
    const flag = typeof body === 'string' ? '--data-binary' : '-d'; // -d would remove line breaks
    parts.push(`${flag} '${textOf(body).replaceAll("'", "'\\''")}'`);
  }
  return parts.join(' \\\n  ');
}

function scriptExample({ method, url, needsToken, takesKey, type, body, result }: Call): string {
  const headers: string[] = [];
  if (needsToken) headers.push(credentials.JavaScript);
  if (body !== undefined) headers.push(`'Content-Type': '${type}'`);
  if (takesKey) headers.push("'Idempotency-Key': crypto.randomUUID()");
  const options: string[] = [];
  if (method !== 'GET') options.push(`  method: '${method}',\n`);
  if (headers.length > 0) options.push(`  headers: { ${headers.join(', ')} },\n`);
  if (typeof body === 'string') options.push(`  body: ${json(body)},\n`);
  else if (body !== undefined) options.push(`  body: JSON.stringify(${indented(json(body))}),\n`);
  const init = options.length === 0 ? '' : `, {\n${options.join('')}}`;
  const call = `const response = await fetch('${url}'${init});\n`;
  const last = result === 'nothing' ? '' : `\nconst result = await response.${result}();`;
  return `${call}if (!response.ok) throw new Error((await response.json()).detail);${last}`;
}

/** Uses the package `requests`, which is common in Python. */
function pythonExample(call: Call, trust: Trust): string {
  const { method, url, needsToken, takesKey, type, body, result } = call;
  const headers: string[] = [];
  if (needsToken) headers.push(credentials.Python);
  if (takesKey) headers.push('"Idempotency-Key": str(uuid.uuid4())');
  if (typeof body === 'string') headers.push(`"Content-Type": "${type}"`); // for JSON, requests sets it
  const lines = [`    "${url}",`];
  if (headers.length > 0) lines.push(`    headers={${headers.join(', ')}},`);
  const name = typeof body === 'string' ? 'data' : 'json';
  if (body !== undefined) lines.push(`    ${name}=${indented(indented(pythonValue(body)))},`);
  if (trust === 'its own certificate') lines.push('    verify="data/tls/ca.pem",');
  const imports = takesKey ? 'import uuid\n\nimport requests' : 'import requests';
  const request = `response = requests.${method.toLowerCase()}(\n${lines.join('\n')}\n)`;
  const results = { nothing: '', json: '\nresult = response.json()', text: '\nresult = response.text' };
  return `${imports}\n\n${request}\nresponse.raise_for_status()${results[result]}`;
}

/** Returns JSON as Python. Only the names of three values differ. */
function pythonValue(value: unknown): string {
  const names: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
  const text = json(value);
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|true|false|null/g, (token) => names[token] ?? token);
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/** Returns the body to send: text unchanged, everything else as JSON. */
export function textOf(body: unknown): string {
  return typeof body === 'string' ? body : json(body);
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
