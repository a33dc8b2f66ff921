import { createHash } from 'node:crypto';
import { placesOf } from '../ai/knowledge/geographies.ts';
import { AiError, type AiProvider, MAX_TEXTS } from '../ai/provider.ts';
import { SpendingCapReached } from '../ai-usage/meter-for.ts';
import { type Tx, withTx } from '../db/tx.ts';
import type { CustomDetector } from '../detectors/custom-definition.ts';
import { builtInDetectors } from '../detectors/on-demand.ts';
import { loadEnabledDetectors } from '../governance/custom-detectors.sql.ts';
import { loadProfile } from '../governance/organization-profile.sql.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import { type AnswersSoFar, answersSoFar } from '../inference/answers-so-far.ts';
import { loadApprovedTaxonomy } from '../inference/approved-taxonomy.sql.ts';
import type { Ensemble } from '../inference/inference.ts';
import {
  indexTaxonomy,
  type Taxonomy,
  type TaxonomyEmbeddings,
  type TaxonomyIndex,
  taxonomyText,
} from '../inference/taxonomy-index.ts';
import { neverBack } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { newestAnswers } from '../review/answers.sql.ts';
import {
  loadActiveSuppressions,
  loadFingerprintKey,
  fingerprintKey as makeFingerprintKey,
} from '../signals/active-suppressions.sql.ts';
import type { SuppressionSet } from '../signals/suppression.ts';
import { embedWithinCap } from './embed-within-cap.ts';
import type { ScanParts } from './scan-parts.ts';
import type { VersionsInForce } from './versions-in-force.sql.ts';

/** What scans use of a tenant: taxonomy, ensemble, own detectors, countries, suppressions and fingerprint key. */
export type TaxonomyInUse = {
  index: TaxonomyIndex;
  ensemble: Ensemble;
  /** Changes with the approved taxonomy, with the model that embeds it, and with whether it is embedded. */
  revision: string;
  /** The tenant's own detectors that are enabled. */
  detectors: readonly CustomDetector[];
  /** The countries in its profile, sorted. */
  homes: readonly string[];
  suppressions: SuppressionSet;
  /** What owners answered so far. It is a few seconds old. */
  answers: AnswersSoFar;
  /** Time in milliseconds at which all of it was read. */
  readAt: number;
  /** In Base64. */
  fingerprintKey: string;
};

/** Milliseconds until running scans use a newly approved taxonomy. */
const FRESH_MS = 5_000;
const MAX_TENANTS = 100;

const revisionOf = (...of: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(of)).digest('hex');

const readInForce = async (tx: Tx) => ({
  taxonomy: await loadApprovedTaxonomy(tx),
  ensemble: await loadActiveEnsemble(tx),
  answered: await newestAnswers(tx),
  detectors: await loadEnabledDetectors(tx),
  profile: await loadProfile(tx),
  suppressions: await loadActiveSuppressions(tx),
  fingerprintKey: await loadFingerprintKey(tx),
});

/** The countries of a tenant's geographies whose identifiers are known, sorted. */
export async function homeCountries(geographies: readonly string[]): Promise<string[]> {
  const ids = new Set(placesOf(geographies).flatMap(({ identityDetectors }) => identityDetectors));
  const detectors = await builtInDetectors();
  const countries = detectors.flatMap(({ id, countries = [] }) => (ids.has(id) ? countries : []));
  return [...new Set(countries)].sort();
}

type Cached = { at: number; value: Promise<TaxonomyInUse> };

/** @param least versions that the caller needs. Older ones are read again, even if they are fresh. */
export type TaxonomyLookup = (
  tenantId: TenantId,
  signal: AbortSignal,
  least?: VersionsInForce,
) => Promise<TaxonomyInUse>;

export const isAtLeast = (
  { ensemble, suppressions, readAt }: TaxonomyInUse,
  least: VersionsInForce,
): boolean =>
  ensemble.version >= least.ensemble &&
  suppressions.version >= least.suppressions &&
  readAt > least.answeredAt;

/**
 * Reads each tenant's taxonomy at most every few seconds and embeds it only after a change, however many units run at
 * once.
 */
export function createTaxonomyCache(
  parts: Pick<ScanParts, 'config' | 'db' | 'clock' | 'provider'>,
): TaxonomyLookup {
  const { config, db, clock, provider } = parts;
  const opinionModel =
    config.SVC_AI_SECOND_OPINION && provider.opinion !== null
      ? { provider: provider.name, model: provider.opinion.model }
      : null;
  const steady = neverBack(clock);
  const cached = new Map<TenantId, Cached>();
  const indexes = new Map<TenantId, { revision: string; index: TaxonomyIndex }>();

  async function load(tenantId: TenantId, signal: AbortSignal): Promise<TaxonomyInUse> {
    const readAt = clock();
    const { taxonomy, profile, answered, ...inForce } = await withTx(
      db,
      { tenantId, mode: 'read' },
      readInForce,
    );
    const fingerprintKey =
      inForce.fingerprintKey ??
      (await withTx(db, { tenantId, mode: 'write' }, (tx) => makeFingerprintKey(tx, clock())));
    const used = {
      ...inForce,
      fingerprintKey,
      readAt,
      answers: answersSoFar(answered, inForce.ensemble.learned !== null),
      homes: await homeCountries(profile?.geographies ?? []),
    };
    const revision = revisionOf(taxonomy, provider.name, provider.model);
    const known = indexes.get(tenantId);
    if (known?.revision === revision) return { ...used, index: known.index, revision };
    const embeddings = await embed(tenantId, taxonomy, signal);
    const index = indexTaxonomy(taxonomy, embeddings, opinionModel);
    // The index is made again at the next look, and embedded if the cap allows it then.
    if (embeddings === null) return { ...used, index, revision: revisionOf(taxonomy, null) };
    indexes.set(tenantId, { revision, index });
    return { ...used, index, revision };
  }

  /** Null where the spending cap is reached. */
  async function embed(
    tenantId: TenantId,
    taxonomy: Taxonomy,
    signal: AbortSignal,
  ): Promise<TaxonomyEmbeddings | null> {
    const domains = new Map(taxonomy.domains.map((domain) => [domain.domainId, domain]));
    const texts = taxonomy.informationTypes.flatMap((type) => {
      const domain = domains.get(type.domainId);
      return domain === undefined ? [] : [{ id: type.informationTypeId, text: taxonomyText(domain, type) }];
    });
    const embedded = texts.slice(0, MAX_TEXTS);
    const vectors = await embedWithinCap(
      parts,
      tenantId,
      embedded.map(({ text }) => text),
      signal,
    );
    if (vectors === null) return null;
    return {
      provider: provider.name,
      model: provider.model,
      vectors: new Map(
        embedded.flatMap(({ id }, at) => {
          const vector = vectors[at];
          return vector === undefined ? [] : [[id, vector] as const];
        }),
      ),
    };
  }

  return async (tenantId, signal, least = { ensemble: 0, suppressions: 0, answeredAt: 0 }) => {
    const hit = cached.get(tenantId);
    if (hit !== undefined && steady() - hit.at < FRESH_MS) {
      const known = await hit.value;
      if (isAtLeast(known, least)) return known;
      const newer = cached.get(tenantId);
      if (newer !== undefined && newer !== hit) return newer.value;
    }
    const value = load(tenantId, signal);
    // A failed load is not cached, so that the next caller tries again.
    value.catch(() => cached.delete(tenantId));
    cached.delete(tenantId);
    cached.set(tenantId, { at: steady(), value });
    for (const oldest of cached.keys()) {
      if (cached.size <= MAX_TENANTS) break;
      cached.delete(oldest);
      indexes.delete(oldest);
    }
    return value;
  };
}

/**
 * What is in force now, with the taxonomy embedded, for those who compare scores. Throws
 * `blocked_capability` where the AI provider does not answer, or the spending cap does not allow to ask it.
 */
export async function embeddedTaxonomy(
  { ai, ...parts }: Pick<ScanParts, 'config' | 'db' | 'clock'> & { ai: AiProvider },
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<TaxonomyInUse> {
  const lookup = createTaxonomyCache({ ...parts, provider: ai });
  const inUse = await lookup(tenantId, signal).catch((error: unknown) => {
    if (!(error instanceof AiError)) throw error;
    throw new ServiceError(
      'blocked_capability',
      `The AI provider did not embed the taxonomy (${error.message}). Try again, or check SVC_AI_ENDPOINT.`,
    );
  });
  if (inUse.index.embeddingModel === null) throw new SpendingCapReached();
  return inUse;
}
