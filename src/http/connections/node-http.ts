// The functions of node:http and node:https that the service uses. Neither module is imported: an import of
// node:http reads all its exports, and one of them loads a whole WebSocket client.

export const { createServer: createHttpServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** Returns node:https, which a service without TLS and webhooks never loads. */
export function nodeHttps(): typeof import('node:https') {
  return process.getBuiltinModule('node:https');
}
