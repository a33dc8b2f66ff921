import type { AiProvider } from '../ai/provider.ts';
import { scanRefused } from '../campaigns/scan-refused.ts';
import { loadRestraints } from '../campaigns/schedules.sql.ts';
import { findScannable } from '../campaigns/start-scan.ts';
import { type Connector, ConnectorError } from '../connectors/connector.ts';
import { type Db, withTx } from '../db/tx.ts';
import type { SourceParts } from '../integrations/connector-for.ts';
import type { ScopeId, TenantId } from '../kernel/ids.ts';
import type { Only } from '../narrowing/narrowing-schema.ts';
import { rulesOfScope } from '../narrowing/scan-rules.sql.ts';
import { type Estimate, inWords } from './estimate-schema.ts';
import { endedScans, scopeToEstimate } from './known.sql.ts';
import { minutesOf } from './minutes.ts';
import { costOf } from './provider-cost.ts';
import { withCeilings, withoutQuiet } from './rests.ts';
import { sampleScope } from './sample-scope.ts';
import { workFigures } from './work-figures.ts';

/** A person waits for the answer. */
const SAMPLE_MS = 8_000;
const COUNTER_MS = 5_000;
const MIB = 1024 * 1024;

type Asked = { scopeId: string; kind: 'inventory' | 'delta'; only?: Only | undefined };
type Parts = SourceParts & { db: Db; ai: AiProvider };

/**
 * What a scan would take. Lists a bounded part of the source and reads no content. Throws like the start of the scan, but
 * needs no license, and is possible while another scan of the scope runs.
 */
export async function estimateScan(
  parts: Parts,
  tenantId: TenantId,
  asked: Asked,
  stopping: AbortSignal,
): Promise<Estimate> {
  const { db, config } = parts;
  const { scope, connector, stored, rules, schedules, scans } = await withTx(
    db,
    { tenantId, mode: 'read' },
    async (tx) => {
      const found = await findScannable(parts, tx, asked);
      if ('refused' in found) throw scanRefused(config, found.refused);
      const { scope } = found;
      const [stored, rules, schedules, scans] = await Promise.all([
        scopeToEstimate(tx, scope.scopeId),
        rulesOfScope(tx, scope),
        loadRestraints(tx),
        endedScans(tx, { ...scope, kind: asked.kind }),
      ]);
      return { ...found, stored, rules, schedules, scans: withoutQuiet(scans, schedules) };
    },
  );
  const within = (milliseconds: number) => AbortSignal.any([stopping, AbortSignal.timeout(milliseconds)]);
  const { scopeId, externalId } = scope;
  const place: { scopeId: ScopeId; externalId: string; deltaCursor: string | null } = {
    scopeId,
    externalId,
    deltaCursor: stored.deltaCursor,
  };
  const narrowing = { only: asked.only ?? null, rules };
  const maxBytes = config.SVC_EXTRACT_MAX_INPUT_MB * MIB;
  const sample = await sampleScope(
    { db, tenantId, scope: place, connector, narrowing, maxBytes },
    asked.kind,
    within(SAMPLE_MS),
  );
  const isOpen = sample !== null && !sample.complete;
  const countedBytes = isOpen ? await counted(connector, externalId, within(COUNTER_MS)) : null;
  const figures = workFigures({
    sample,
    inherits: connector.inheritsPermissions === true,
    knownAssets: scope.coverageState === null ? null : stored.assets,
    countedBytes,
    scans,
  });
  return {
    items: inWords(figures.items),
    bytes: inWords(figures.bytes),
    calls: inWords(figures.calls),
    minutes: inWords(withCeilings(minutesOf(figures, scans), figures, scope, schedules)),
    cost: inWords(costOf(figures.reads, config, parts.ai, stored.profile)),
    sample: sample && {
      pages: sample.pages,
      items: sample.listed,
      leftOut: sample.leftOut,
      complete: sample.complete,
    },
  };
}

/** Null if the source has no counter, or does not answer. */
async function counted(
  connector: Connector,
  externalId: string,
  signal: AbortSignal,
): Promise<number | null> {
  try {
    return (await connector.countedBytes?.(externalId, signal)) ?? null;
  } catch (error) {
    if (error instanceof ConnectorError || signal.aborted) return null;
    throw error;
  }
}
