import type { Config } from '../config/config.ts';
import type { MessageSource } from '../connectors/message-source.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import type { GlancePool } from '../scan/analysis-pool.ts';
import type { Leased } from './containers.sql.ts';

export type SyncParts = {
  config: Config;
  db: Db;
  clock: Clock;
  log: Logger;
  analysis: GlancePool;
};

/** Messages that were stored for the first time, stored again, seen with known content, and deleted. */
export type Tally = { added: number; changed: number; unchanged: number; gone: number };
export const noMessages = (): Tally => ({ added: 0, changed: 0, unchanged: 0, gone: 0 });

/** A part of a sync of one container, which the lease covers. */
export type Turn = {
  parts: SyncParts;
  tenantId: TenantId;
  source: MessageSource;
  leased: Leased;
  /** Messages are counted as they are stored. */
  tally: Tally;
  /** No page is begun after this time, in milliseconds. */
  until: number;
  /** The most pages. */
  pages: number;
  /** Cuts the turn off. */
  signal: AbortSignal;
};

export const write = <T>(
  { parts, tenantId }: Pick<Turn, 'tenantId'> & { parts: Pick<SyncParts, 'db'> },
  fn: (tx: Tx) => Promise<T>,
): Promise<T> => withTx(parts.db, { tenantId, mode: 'write' }, fn);
