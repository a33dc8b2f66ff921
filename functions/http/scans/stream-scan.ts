import { campaignEvents } from '../../../core/campaigns/campaign-events.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const streamScan = endpoint({
  name: 'scans-events',
  method: 'GET',
  path: '/api/scans/{id}/events',
  summary: 'Progress of a scan or rescore as server-sent events',
  description:
    'Each event `state` has the scan as `GET /api/scans/{id}` shows it, without stage outcomes and dead letters: one at ' +
    'the beginning, and one for each change. `end` follows when the scan has ended. The stream closes after two minutes ' +
    'or 256 kB. A client goes on with `Last-Event-ID`, and receives a state that it has seen only after a change. A ' +
    'person has at most six streams, and a process 50; further ones are refused with `overloaded`.',
  access: can('scan.job.read'),
  transaction: 'none',
  params: IdParams,
  produces: 'text/event-stream',
  handle: ({ runtime, principal, visibility, params, header }) => ({
    contentType: 'text/event-stream; charset=utf-8',
    body: campaignEvents({
      runtime,
      principal,
      visibility,
      campaignId: params.id,
      lastEventId: header('last-event-id'),
    }),
  }),
});
