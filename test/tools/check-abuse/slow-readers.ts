// A process of its own, run with `nice`, so that its CPU use, as with attackers elsewhere, affects neither the service nor
// other clients. Sends requests on each connection, and reads nothing. Arguments: port, connections, requests on each.
import { from, getText, openSocket } from './abused-service.ts';

const [port = 0, connections = 0, requests = 0] = process.argv.slice(2).map(Number);
for (let index = 0; index < connections; index += 1) {
  const socket = await openSocket(port);
  socket?.pause().write(getText('/openapi.json', from(`10.1.${index >> 8}.${index & 255}`)).repeat(requests));
}
setTimeout(() => process.exit(), 60_000); // in case nobody ends it
