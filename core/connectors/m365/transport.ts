import type { GraphCall } from '../../kernel/vocabulary.ts';
import type { CallsParts } from '../cloud-http/calls.ts';
import type { Outgoing as CallOutgoing, SourceRules } from '../cloud-http/source-rules.ts';
import { ALLOWED_CALLS } from './allowed-calls.ts';
import { isPathOf } from './call-path.ts';
import { codesIn } from './error-codes.ts';
import { contentAddress } from './follow-link.ts';
import type { GraphCloud } from './graph-cloud.ts';
import { GRAPH_RETRIES, isContent, type TransportCall } from './graph-rules.ts';

export type TransportParts = CallsParts<GraphCall> & {
  cloud: GraphCloud;
  /** Whether this is the remediation identity, which alone may assign labels. */
  writesLabels: boolean;
  /** The mailboxes that the configuration lists. None without it. */
  mailboxes?: readonly string[];
};

export type Outgoing = CallOutgoing<TransportCall>;

/** Microsoft asks that traffic names its origin, and throttles what does so later. */
const USER_AGENT = 'NONISV|DataGovernance|DataGovernanceService/1.0';

/**
 * What may leave to Microsoft 365: an allowed call for Graph, with the bearer, and a `GET` for a content host, without it.
 */
export const transportRules = (parts: TransportParts): SourceRules<TransportCall> => ({
  ...GRAPH_RETRIES,
  userAgent: USER_AGENT,
  isAllowed: (outgoing) => isAllowed(parts, outgoing),
  isElsewhere: isContent,
  codesIn,
});

function isAllowed(
  { cloud, writesLabels, mailboxes = [] }: TransportParts,
  { call, method, url }: Outgoing,
): boolean {
  if (isContent(call)) return method === 'GET' && contentAddress(cloud, call, url.href).href === url.href;
  const shape = ALLOWED_CALLS[call];
  return (
    url.origin === cloud.graphOrigin &&
    url.username === '' &&
    url.password === '' &&
    method === shape.method &&
    (shape.ofMailbox === true
      ? mailboxes.some((mailbox) => isPathOf(call, { mailbox }, url.pathname))
      : isPathOf(call, {}, url.pathname)) &&
    (shape.writesLabels !== true || writesLabels)
  );
}
