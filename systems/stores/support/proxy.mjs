// A proxy before a store, which makes faults: answers that are cut, refused or late, and versions that change.

import { createServer, request } from 'node:http';

/**
 * Starts a proxy. `fault` is called with each request, and tells what becomes of it: `{ status }`, `{ cutAfter }`, `{ etag }`, or a
 * promise of one of them, which delays it. Nothing becomes of it by default.
 */
export async function startProxy(target) {
  const proxy = { fault: () => undefined, requests: [] };
  const server = createServer(async (asking, answer) => {
    proxy.requests.push({ method: asking.method, url: asking.url });
    const fault = (await proxy.fault(asking)) ?? {};
    if (fault.status !== undefined) {
      asking.resume();
      answer.writeHead(fault.status).end();
      return;
    }
    const { method, url: path, headers } = asking;
    const passed = request({ host: '127.0.0.1', port: target, method, path, headers }, (got) => {
      const etag = fault.etag === undefined ? {} : { etag: fault.etag };
      answer.writeHead(got.statusCode, { ...got.headers, ...etag });
      if (fault.cutAfter === undefined) {
        got.pipe(answer);
        return;
      }
      got.once('data', (chunk) => {
        answer.write(chunk.subarray(0, fault.cutAfter), () => answer.destroy());
        got.destroy();
      });
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asking.pipe(passed);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.port = server.address().port;
  proxy.stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return proxy;
}
