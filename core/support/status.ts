import { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import type { Config } from '../config/config.ts';
import type { Tx } from '../db/tx.ts';
import { bounded, listOf } from '../kernel/list.ts';
import { currentLicense } from '../licensing/license.ts';
import {
  chooseTelemetry,
  SENDING_OUTCOMES,
  sentPayloads,
  type TelemetryChoice,
  telemetryChoice,
} from './telemetry.sql.ts';

const MAX_LISTED = 100;

/** Why nothing is sent. */
const UNSENT = ['not_in_terms', 'no_address', 'opted_out'] as const;
type Unsent = (typeof UNSENT)[number];

const Timestamp = z.iso.datetime();

export const TelemetryStatusSchema = z.object({
  isSent: z.boolean().describe('Whether it is sent, once a day'),
  unsentBecause: z.enum(UNSENT).nullable(),
  address: z.string().nullable().describe('SVC_TELEMETRY_URL without its query, which may hold a key'),
  optedOutAt: Timestamp.nullable(),
  sent: listOf(
    z.object({
      sentAt: Timestamp,
      payload: z.string().describe('The bytes that were sent'),
      outcome: z
        .enum(SENDING_OUTCOMES)
        .nullable()
        .describe('Null while it is being sent, and if the process or its database failed then'),
    }),
  ).describe('What was sent, newest first'),
});
export type TelemetryStatus = z.input<typeof TelemetryStatusSchema>;

/** Why no telemetry of the tenant is sent, or null. Terms whose grace window is over ask for nothing. */
export async function unsentBecause(
  tx: Tx,
  config: Config,
  { optedOutAt }: TelemetryChoice,
  now: number,
): Promise<Unsent | null> {
  const { entitled, state } = await currentLicense(tx, { config }, now);
  if (typeof entitled === 'string' || state === 'expired' || !entitled.telemetry) return 'not_in_terms';
  if (config.SVC_TELEMETRY_URL === undefined) return 'no_address';
  return optedOutAt === null ? null : 'opted_out';
}

/** Whether telemetry is sent, and what was sent. */
export async function telemetryStatus(tx: Tx, config: Config, now: number): Promise<TelemetryStatus> {
  const choice = await telemetryChoice(tx);
  const unsent = await unsentBecause(tx, config, choice, now);
  const { items, truncated } = bounded(await sentPayloads(tx, MAX_LISTED + 1), MAX_LISTED);
  return {
    isSent: unsent === null,
    unsentBecause: unsent,
    address: addressOf(config),
    optedOutAt: choice.optedOutAt?.toISOString() ?? null,
    sent: {
      items: items.map(({ sentAt, ...rest }) => ({ sentAt: sentAt.toISOString(), ...rest })),
      truncated,
    },
  };
}

function addressOf({ SVC_TELEMETRY_URL: address }: Config): string | null {
  if (address === undefined) return null;
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

/** Opts the tenant out, or in again. */
export async function optOut(
  tx: Tx,
  optedOut: boolean,
  now: number,
  audit: (entry: AuditEntry) => void,
): Promise<void> {
  if ((await chooseTelemetry(tx, optedOut ? new Date(now) : null)) === 0) return;
  audit({ category: 'config', type: optedOut ? 'telemetry_opted_out' : 'telemetry_opted_in' });
}
