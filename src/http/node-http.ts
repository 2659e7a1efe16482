// What is used of node:http and node:https at run time, and how they take header fields. Neither is imported:
// an import of node:http reads all its exports, and one of them loads a whole WebSocket client.

/** As `node:http` takes them: name, value, name, value. */
export type HeaderFields = readonly string[];

export const {
  Agent: HttpAgent,
  createServer: createHttpServer,
  request: httpRequest,
  METHODS,
  STATUS_CODES,
  validateHeaderValue,
} = process.getBuiltinModule('node:http');

/** A function, so that a service without TLS and webhooks doesn't load it. */
export function nodeHttps(): typeof import('node:https') {
  return process.getBuiltinModule('node:https');
}
