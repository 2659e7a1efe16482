// Bare node:http (or node:https) answering fixed bytes: the speed of the platform without any work. ANSWERS
// names a JSON file of the service's own responses; DATABASE, when given, is held open.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import type { FixedAnswer, FixedAnswers } from '../fixed-answers.ts';

type Respond = (response: ServerResponse) => void;
const { PORT, ANSWERS, TLS_CERT, TLS_KEY, DATABASE } = process.env;

// the benchmark wrote it in this shape
const answers = JSON.parse(readFileSync(ANSWERS ?? '', 'utf8')) as FixedAnswers;
const list = responder(answers.list);
const read = responder(answers.read);
const place = responder(answers.place);
const database = DATABASE === undefined ? undefined : new DatabaseSync(DATABASE, { readOnly: true });
database?.prepare('SELECT count(*) FROM sqlite_schema').get();

const listener: RequestListener = (request, response) => {
  if (request.method === 'POST') afterBody(request, () => place(response));
  else if (request.url?.startsWith('/orders?')) list(response);
  else read(response);
};

const server =
  TLS_CERT === undefined
    ? createServer(listener)
    : (await import('node:https')).createServer(
        { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY ?? ''), minVersion: 'TLSv1.2' },
        listener,
      );
server.listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0)); // with `exit`, so that the compile cache is saved

/** As most people write it: an object of headers and a string. */
function responder({ status, headers, text }: FixedAnswer): Respond {
  return (response) => {
    response.writeHead(status, headers).end(text);
  };
}

function afterBody(request: IncomingMessage, then: () => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks);
    then();
  });
}
