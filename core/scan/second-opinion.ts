import { AiError, type AiFailure } from '../ai/provider.ts';
import type { OpinionType, SecondOpinion } from '../ai/second-opinion.ts';
import { meterFor, SpendingCapReached } from '../ai-usage/meter-for.ts';
import { type Tx, withTx } from '../db/tx.ts';
import type { Opinion } from '../inference/features.ts';
import {
  countingOpinion,
  type InferenceInput,
  infer,
  isUncertain,
  scoreTypes,
} from '../inference/inference.ts';
import type { TaxonomyIndex } from '../inference/taxonomy-index.ts';
import { neverBack } from '../kernel/clock.ts';
import type { OpinionOutcome } from '../observability/vocabulary.ts';
import type { WorkUnit } from '../work/unit.ts';
import type { AssetState, DataHandlingProfile } from './asset-state.sql.ts';
import { type InferenceBasis, type InferredAsset, inferenceBasis, inferenceInput } from './infer-asset.ts';
import { keepsTextIn } from './keeps-text-in.ts';
import type { ScanParts } from './scan-parts.ts';
import { countAsked, mayAskMore } from './second-opinion.sql.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

/** Bytes of the types that are sent, as JSON. */
const MAX_TYPES_BYTES = 24_000;
const MAX_NAME = 120;
const MAX_DEFINITION = 300;
/** After a failure that others will have too, nobody is asked for as long as the service says, within these bounds. */
const LEAST_PAUSE_MS = 60_000;
const MOST_PAUSE_MS = 15 * 60_000;

/** Failures that concern one text alone. The same question would fail again, so they are retained as an answer. */
const UNUSABLE: ReadonlySet<AiFailure> = new Set(['input_bound', 'malformed', 'refused']);

type Parts = Pick<ScanParts, 'config' | 'db' | 'clock' | 'metrics' | 'provider'>;

/** The second opinions that a process asks for. Without a provider for them, all answers are no. */
export type SecondOpinions = {
  /** Whether one may be asked for about a text of a tenant with this profile. */
  areOffered(profile: DataHandlingProfile): boolean;
  /** Whether the content of an asset is to be read again for one: the model is not sure of what is stored of it. */
  isDue(unit: WorkUnit, state: AssetState, basis: InferenceBasis, taxonomy: TaxonomyInUse): Promise<boolean>;
  /**
   * Asks once about an asset that the model is not sure of. Null if there is nothing to ask about or to send, and if there
   * was no answer: this fails nothing, and the next scan of the asset asks again. Throws if the signal fires.
   */
  ask(
    unit: WorkUnit,
    asset: InferredAsset,
    excerpts: readonly string[],
    taxonomy: TaxonomyInUse,
    signal: AbortSignal,
  ): Promise<Opinion | null>;
};

export function createSecondOpinions(parts: Parts): SecondOpinions {
  const { config, db, clock, metrics, provider } = parts;
  const mostOfScan = config.SVC_AI_SECOND_OPINIONS_PER_SCAN;
  const { opinion } = provider;
  const steady = neverBack(clock);
  let pausedUntil = 0;
  const count = (outcome: OpinionOutcome) => metrics.count(`second_opinion:${outcome}`);

  const answerOf = async (
    asked: SecondOpinion,
    unit: WorkUnit,
    input: InferenceInput,
    excerpts: readonly string[],
    signal: AbortSignal,
  ): Promise<Opinion['answer'] | null> => {
    const types = offeredTypes(input);
    try {
      const question = { excerpts, types: types.map(({ offered }) => offered) };
      const ref = await asked.ask(question, signal, meterFor(parts, unit.tenantId));
      const chosen = types.find(({ offered }) => offered.ref === ref);
      count(chosen === undefined ? 'none' : 'type');
      return chosen === undefined ? 'none' : chosen.type;
    } catch (error) {
      if (error instanceof SpendingCapReached) {
        pausedUntil = steady() + LEAST_PAUSE_MS;
        count('spending_cap');
        return null;
      }
      if (!(error instanceof AiError) || error.failure === 'aborted') throw error;
      if (UNUSABLE.has(error.failure)) {
        count('unusable');
        return 'unusable';
      }
      const wait = Math.max(LEAST_PAUSE_MS, error.retryAfterMs ?? 0);
      pausedUntil = steady() + Math.min(MOST_PAUSE_MS, wait);
      count('unavailable');
      return null;
    }
  };

  const isPaused = () => steady() < pausedUntil;
  const inTenant = <T>({ tenantId }: WorkUnit, mode: 'read' | 'write', fn: (tx: Tx) => Promise<T>) =>
    withTx(db, { tenantId, mode }, fn);

  return {
    areOffered: (profile) =>
      config.SVC_AI_SECOND_OPINION && opinion !== null && !keepsTextIn(profile, provider) && !isPaused(),
    isDue: async (unit, { features, expectedDomainId }, basis, taxonomy) => {
      if (features === null) return false;
      const { input } = inferenceInput({ features, expectedDomainId }, basis, taxonomy);
      return (
        lacksOpinion(input) && inTenant(unit, 'read', (tx) => mayAskMore(tx, unit.campaignId, mostOfScan))
      );
    },
    ask: async (unit, asset, excerpts, taxonomy, signal) => {
      if (opinion === null || excerpts.length === 0 || isPaused()) return null;
      const basis = await inTenant(unit, 'read', (tx) =>
        inferenceBasis(tx, asset, asset.features.value, taxonomy),
      );
      const { input } = inferenceInput(asset, basis, taxonomy);
      if (!lacksOpinion(input)) return null;
      if (!(await inTenant(unit, 'write', (tx) => countAsked(tx, unit.campaignId, mostOfScan)))) {
        count('scan_bound');
        return null;
      }
      const answer = await answerOf(opinion, unit, input, excerpts, signal);
      const { typeSet } = taxonomy.index;
      return answer && { provider: provider.name, model: opinion.model, typeSet, answer };
    },
  };
}

/** Whether a second opinion would count for an asset and there is none yet. */
const lacksOpinion = (input: InferenceInput): boolean =>
  (input.features.characterCount ?? 0) > 0 &&
  countingOpinion(input.features, input.taxonomy) === null &&
  infer(input).some(({ confidence }) => isUncertain(confidence, input.ensemble));

type Offered = { offered: OpinionType; type: { informationTypeId: string; domainId: string } };

/**
 * The types to choose from, the likeliest of them if there is no room for all. They are in the order of their ids, so
 * that the question does not reveal what the model holds likely.
 */
export function offeredTypes(input: InferenceInput): Offered[] {
  const likely = scoreTypes(input).sort((a, b) => b.confidence - a.confidence);
  const known = new Map(input.taxonomy.types.map((indexed) => [indexed.type.informationTypeId, indexed]));
  let bytes = 0;
  const fitting = likely.flatMap(({ informationTypeId }) => {
    const indexed = known.get(informationTypeId);
    if (indexed === undefined) return [];
    bytes += Buffer.byteLength(JSON.stringify(offer(indexed, 'type_0000')));
    return bytes > MAX_TYPES_BYTES ? [] : [indexed];
  });
  return fitting
    .sort((a, b) => (a.type.informationTypeId < b.type.informationTypeId ? -1 : 1))
    .map((indexed, at) => {
      const { informationTypeId, domainId } = indexed.type;
      return { offered: offer(indexed, `type_${at + 1}`), type: { informationTypeId, domainId } };
    });
}

const offer = ({ type, domainName }: TaxonomyIndex['types'][number], ref: string): OpinionType => ({
  ref,
  name: type.name.slice(0, MAX_NAME).toWellFormed(),
  definition: type.definition.slice(0, MAX_DEFINITION).toWellFormed(),
  domain: domainName.slice(0, MAX_NAME).toWellFormed(),
});
