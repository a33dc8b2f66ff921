import type { Meter, ModelCall, Tokens } from '../ai/meter.ts';
import type { Config } from '../config/config.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { release, reserve, settle } from './ledger.sql.ts';

/** The spending cap of the tenant leaves no room for a call. Nothing was sent. */
export class SpendingCapReached extends ServiceError {
  constructor() {
    super(
      'blocked_capability',
      'The call could exceed the spending cap of this month, SVC_AI_MONTHLY_CAP. Nothing was sent to the AI provider. ' +
        'Wait for the next month (UTC), or raise the cap.',
    );
  }
}

type Parts = {
  config: Pick<Config, 'SVC_AI_PRICES' | 'SVC_AI_MONTHLY_CAP'>;
  db: Db;
  clock: Clock;
};

/**
 * Counts the calls of a tenant. It first reserves the most that a call can cost, and throws `SpendingCapReached` if that
 * does not fit under the cap. Call it outside of a transaction. A call that cannot be settled keeps its answer: its
 * reservation counts as spent later.
 */
export const meterFor =
  ({ config, db, clock }: Parts, tenantId: TenantId): Meter =>
  async (call) => {
    const inTenant = <T>(fn: (tx: Tx) => Promise<T>) => withTx(db, { tenantId, mode: 'write' }, fn);
    const cap = config.SVC_AI_MONTHLY_CAP ?? null;
    const reservationId = newId('air', clock());
    const cost = costOf(config, call, call.expected);
    // The configuration is refused where a cap has no prices.
    if (cap !== null && cost === null) throw new Error('A spending cap needs the price of each model');
    if (!(await inTenant((tx) => reserve(tx, { ...call, reservationId, cost, cap }, clock()))))
      throw new SpendingCapReached();
    return async (used) => {
      const tokens = typeof used === 'string' ? call.expected : used;
      const spent = { tokens, isEstimated: used === 'unknown', cost: costOf(config, call, tokens) };
      await inTenant((tx) =>
        used === 'none' ? release(tx, reservationId) : settle(tx, call, spent, reservationId, clock()),
      ).catch(() => undefined);
    };
  };

/** In the currency of the prices. Null if the model has no price. */
function costOf(
  { SVC_AI_PRICES: prices }: Parts['config'],
  { model }: ModelCall,
  { input, output }: Tokens,
): number | null {
  const price = prices?.get(model);
  return price === undefined ? null : (input * price.input + output * price.output) / 1_000_000;
}
