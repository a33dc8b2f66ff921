import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce, taskOfParent } from '../support/child.ts';

export type ListingTask = { items: number };
export type ListingReady = { url: string };

const { items } = await taskOfParent<ListingTask>();

const blob = (n: number) =>
  `<Blob><Name>folder ${n % 1_000}/file ${n}.txt</Name><Properties><Creation-Time>Mon, 02 Nov 2026 08:00:00 GMT</Creation-Time>` +
  `<Last-Modified>Mon, 02 Nov 2026 08:00:00 GMT</Last-Modified><Etag>0x8DC${n}</Etag><Content-Length>4096</Content-Length>` +
  '<Content-Type>text/plain</Content-Type><AccessTier>Hot</AccessTier></Properties></Blob>';

/** A container that is made up while it is listed: it holds nothing in memory. */
const server = createServer((request, response) => {
  const query = new URL(request.url ?? '', 'http://listing').searchParams;
  if (query.get('comp') !== 'list') {
    // The properties of the container, which are headers.
    response.writeHead(200).end();
    return;
  }
  const from = Number(query.get('marker') ?? 0);
  const to = Math.min(from + Number(query.get('maxresults') ?? 5_000), items);
  response.writeHead(200, { 'content-type': 'application/xml' });
  response.write('<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>');
  for (let n = from; n < to; n++) response.write(blob(n));
  response.end(`</Blobs><NextMarker>${to < items ? to : ''}</NextMarker></EnumerationResults>`);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
announce({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/account` }, async () => {
  server.closeAllConnections();
  server.close();
});
