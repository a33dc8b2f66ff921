import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import type { GraphCall } from '../../kernel/vocabulary.ts';
import { isThrottlingStatus, type RetryRules } from '../cloud-http/retry.ts';
import { ALLOWED_CALLS } from './allowed-calls.ts';

/** A call of the transport: all but the one for a token. */
export type TransportCall = Exclude<GraphCall, 'token'>;

/** Whether the call goes to an address outside Graph. */
export const isContent = (call: TransportCall): call is 'download' | 'monitor' =>
  call === 'download' || call === 'monitor';

/** How calls of Graph are repeated, and how their errors are named. */
export const GRAPH_RETRIES: RetryRules<TransportCall> = {
  source: 'graph',
  isOnce: (call) => !isContent(call) && ALLOWED_CALLS[call].once === true,
  isThrottling: isThrottlingStatus,
  retryClassOf: retryClassOfStatus,
};
