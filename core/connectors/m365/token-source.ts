import { outcomeOf } from '../cloud-http/exchange.ts';
import type { TokenSource } from '../cloud-http/token-source.ts';
import { type EntraIdentity, entraTokens } from '../entra-tokens.ts';
import type { GraphCloud } from './graph-cloud.ts';
import { type CountCall, throttlingOf } from './transport.ts';

/** Tokens of one identity for Graph. */
export const createTokenSource = (
  { authorityOrigin, graphOrigin: resource }: GraphCloud,
  identityNow: () => EntraIdentity,
  count: CountCall,
): TokenSource =>
  entraTokens({ authorityOrigin, resource, diagnostic: 'graph_token' }, identityNow, (status) =>
    count('token', outcomeOf(status), throttlingOf(status)),
  );
