import { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import type { Tx } from '../db/tx.ts';
import { configuredSources } from '../integrations/configured-sources.ts';
import { INTEGRATION_OF } from '../integrations/connector-for.ts';
import type { IntegrationMode } from '../integrations/integrations.ts';
import { SOURCE_WARNINGS, type SourceWarning } from '../integrations/source-warnings.ts';
import { SOURCE_FAMILIES } from '../kernel/vocabulary.ts';
import { familyCounts, messagesNotSelected } from '../messages/family-counts.sql.ts';
import { type ConnectorCounts, connectorCounts } from '../sources/connector-counts.sql.ts';
import { type ReadinessParts, readinessOf } from './readiness.ts';

export const ConnectorSchema = z.object({
  family: z.enum(SOURCE_FAMILIES),
  instance: z
    .string()
    .nullable()
    .describe(
      '`default`: the one that settings without a name describe. Null: scopes that no instance of the configuration selects',
    ),
  mode: z
    .enum(['mock', 'live', 'blocked', 'disabled'])
    .describe('As in the readiness report; of several instances, that of this one'),
  missing: z.array(z.string()).describe('Settings that are not set, switched off, or refer to no secret'),
  selection: z.array(z.string()).describe('What the configuration selects, as it names it'),
  scopes: z
    .object({
      registered: z.int().describe('Scopes that were found when the source was connected'),
      selected: z.int().describe('Registered scopes that are scanned'),
    })
    .describe('How many scopes it has'),
  assetsNotSelected: z
    .int()
    .describe(
      'Assets of scopes that are no longer selected. They stay in the inventory until they are ended',
    ),
  warnings: z
    .array(z.enum(SOURCE_WARNINGS))
    .describe(
      '`reads_all_mailboxes`: the credential may read more mailboxes than the selected ones. `mailbox_reach_unknown`: ' +
        'nobody knows whether it may',
    ),
  lastContactAt: z.iso
    .datetime()
    .nullable()
    .describe('When a scan last listed a whole scope of it. Null: none has'),
});
type Connector = z.infer<typeof ConnectorSchema>;

type Configured = Pick<Connector, 'mode' | 'missing' | 'selection' | 'warnings'>;

/**
 * All families, each with its instances as the process is configured now, and what is registered of them.
 * @param warnings as they were found before
 */
export async function connectorReport(
  parts: ReadinessParts,
  tx: Tx,
  warnings: readonly SourceWarning[],
): Promise<Connector[]> {
  const { integrations } = await readinessOf(parts);
  const counts = [...(await connectorCounts(tx, ownersOf(parts.config))), ...(await messageCounts(tx))];
  return SOURCE_FAMILIES.flatMap((family) => {
    const mode = integrations[INTEGRATION_OF[family]];
    const instances = configuredSources(parts.config, family);
    const isOne = instances.every(({ scopeIds }) => scopeIds === null);
    const configured = instances.map(({ name, missing, selected }) =>
      row(family, name, countsOf(counts, family, isOne ? null : name), {
        mode: instances.length > 1 ? modeOf(mode, missing) : mode,
        missing: mode === 'mock' ? [] : [...missing],
        warnings: warnings
          .filter(({ integration }) => integration === INTEGRATION_OF[family])
          .map(({ warning }) => warning),
        selection: mode === 'mock' ? [] : [...selected],
      }),
    );
    const others = isOne ? undefined : countsOf(counts, family, null);
    return others === undefined
      ? configured
      : [
          ...configured,
          row(family, null, others, { mode: 'blocked', missing: [], selection: [], warnings: [] }),
        ];
  });
}

/** Channels and mailboxes are no scopes, and are shown as such here. */
async function messageCounts(tx: Tx): Promise<ConnectorCounts[]> {
  const messages = await messagesNotSelected(tx);
  return (await familyCounts(tx)).map(({ family, containers, notSelected, lastSyncedAt }) => ({
    family,
    instance: null,
    scopes: containers + notSelected,
    selected: containers,
    assetsNotSelected: messages.get(family) ?? 0,
    lastContactAt: lastSyncedAt,
  }));
}

/** Of one instance among several: the others do not matter to it. */
const modeOf = (family: IntegrationMode, missing: readonly unknown[]): IntegrationMode => {
  if (family === 'disabled') return family;
  return missing.length === 0 ? 'live' : 'blocked';
};

/** A scope that two instances select belongs to the first. */
function ownersOf(config: Config) {
  const owners = new Map<string, { family: SourceFamily; instance: string; externalId: string }>();
  for (const family of SOURCE_FAMILIES)
    for (const { name: instance, scopeIds } of configuredSources(config, family).toReversed())
      for (const externalId of scopeIds ?? [])
        owners.set(`${family} ${externalId}`, { family, instance, externalId });
  return [...owners.values()];
}

const countsOf = (counts: readonly ConnectorCounts[], family: SourceFamily, instance: string | null) =>
  counts.find((row) => row.family === family && row.instance === instance);

const row = (
  family: SourceFamily,
  instance: string | null,
  counts: ConnectorCounts | undefined,
  configured: Configured,
): Connector => ({
  family,
  instance,
  ...configured,
  scopes: { registered: counts?.scopes ?? 0, selected: counts?.selected ?? 0 },
  assetsNotSelected: counts?.assetsNotSelected ?? 0,
  lastContactAt: counts?.lastContactAt?.toISOString() ?? null,
});
