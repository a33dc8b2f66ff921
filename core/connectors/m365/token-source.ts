import { type EntraIdentity, entraTokens, type TokenSource } from '../entra-tokens.ts';
import type { GraphCloud } from './graph-cloud.ts';
import { type CountCall, outcomeOf, throttlingOf } from './transport.ts';

/** Tokens of one identity for Graph. */
export const createTokenSource = (
  { authorityOrigin, graphOrigin: resource }: GraphCloud,
  identityNow: () => EntraIdentity,
  count: CountCall,
): TokenSource =>
  entraTokens({ authorityOrigin, resource, diagnostic: 'graph_token' }, identityNow, (status) =>
    count('token', outcomeOf(status), throttlingOf(status)),
  );
