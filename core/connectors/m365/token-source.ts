import type { GraphCall } from '../../kernel/vocabulary.ts';
import { type CountCall, countEnd } from '../cloud-http/exchange.ts';
import { isThrottlingStatus } from '../cloud-http/retry.ts';
import type { TokenSource } from '../cloud-http/token-source.ts';
import { type EntraIdentity, entraTokens } from '../entra-tokens.ts';
import type { GraphCloud } from './graph-cloud.ts';

/** Tokens of one identity for Graph. */
export const createTokenSource = (
  { authorityOrigin, graphOrigin: resource }: GraphCloud,
  identityNow: () => EntraIdentity,
  count: CountCall<GraphCall>,
): TokenSource =>
  entraTokens({ authorityOrigin, resource, diagnostic: 'graph_token' }, identityNow, (status) =>
    countEnd(count, 'token', status, isThrottlingStatus(status)),
  );
