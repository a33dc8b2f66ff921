import { z } from 'zod';
import { type Principal, visibilityOf } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { CUSTOM_CHECKSUMS, type CustomDefinition } from '../detectors/custom-definition.ts';
import { builtInDetectors, builtInTitles, type DetectorTitles } from '../detectors/on-demand.ts';
import { notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import { lineOf } from '../kernel/line.ts';
import type { By } from './by.ts';
import {
  enableCustomDetector,
  insertCustomDetector,
  listCustomDetectors,
  loadEnabledDetectors,
  lockCustomDetector,
  recordDryRun,
  retainedExcerpts,
  reviseCustomDetector,
  type StoredDetector,
} from './custom-detectors.sql.ts';

export const MAX_DETECTORS = 50;
/** What a dry run searches. The bound limits a slow pattern to a second or two. */
const SEARCHED = { assets: 5_000, characters: 500_000 };
/**
 * Match counts are rounded down to tens, and smaller counts are hidden. Exact counts would let a person who may not
 * read excerpts guess their words one at a time.
 */
const ROUNDED_TO = 10;

const examples = z.array(z.string().min(1).max(500)).min(1).max(20);

/** The definition of a detector. `context` words match in any case and with or without accents. */
export const CustomDefinitionSchema = z.strictObject({
  title: lineOf(100),
  pattern: z.string().min(1).max(512),
  context: z.array(z.string().min(1).max(60)).max(50).default([]),
  contextRequired: z.boolean().default(false),
  checksum: z.enum(CUSTOM_CHECKSUMS).default('none'),
  examples: z.strictObject({ hits: examples, misses: examples }),
});

/** `version` is the one that the caller has read. Omitted fields stay as they are. */
export const CustomDetectorChangeSchema = z.strictObject({
  version: z.int().min(1),
  title: CustomDefinitionSchema.shape.title.optional(),
  pattern: CustomDefinitionSchema.shape.pattern.optional(),
  context: CustomDefinitionSchema.shape.context.unwrap().optional(),
  contextRequired: z.boolean().optional(),
  checksum: z.enum(CUSTOM_CHECKSUMS).optional(),
  examples: CustomDefinitionSchema.shape.examples.optional(),
  enabled: z.boolean().optional(),
});
export type CustomDetectorChange = z.infer<typeof CustomDetectorChangeSchema>;

/**
 * A detector in the list. `version` is the newest, `enabledVersion` the one that scans use, or null while it is
 * disabled. Only the tenant's own detectors have `custom`, and only people who may change them see its `examples`.
 */
export const ListedDetectorSchema = z.object({
  id: z.string(),
  origin: z.enum(['built_in', 'custom']),
  title: z.string(),
  family: z.string(),
  version: z.int(),
  enabled: z.boolean(),
  enabledVersion: z.int().nullable(),
  custom: z
    .object({
      pattern: z.string(),
      context: z.array(z.string()),
      contextRequired: z.boolean(),
      checksum: z.enum(CUSTOM_CHECKSUMS),
      examples: z.object({ hits: z.array(z.string()), misses: z.array(z.string()) }).nullable(),
      dryRunVersion: z.int().nullable(),
      updatedAt: z.iso.datetime(),
      updatedBy: z.string(),
    })
    .nullable(),
});
export type ListedDetector = z.infer<typeof ListedDetectorSchema>;

/**
 * `assetsMatched` is rounded down to tens, and null below ten. The excerpts are redacted, and a pattern cannot match
 * their masked parts.
 */
export const DryRunSchema = z.object({
  detectorId: z.string(),
  version: z.int(),
  builtInExamplesMatched: z.array(z.object({ detectorId: z.string(), count: z.int() })),
  assetsSearched: z.int(),
  assetsMatched: z.int().nullable(),
});

/** The built-in detectors and the tenant's own. */
export async function listDetectors(tx: Tx, principal: Principal): Promise<ListedDetector[]> {
  const mayChange = visibilityOf(principal, 'governance.taxonomy.admin') !== null;
  const custom = await listCustomDetectors(tx, MAX_DETECTORS);
  return [
    ...(await builtInDetectors()).map(
      ({ id, title, family, version }): ListedDetector => ({
        id,
        origin: 'built_in',
        title,
        family,
        version,
        enabled: true,
        enabledVersion: version,
        custom: null,
      }),
    ),
    ...custom.map((each) => listed(each, mayChange)),
  ];
}

/** Titles of the built-in detectors and of the tenant's enabled ones, by id. */
export async function detectorTitles(tx: Tx): Promise<DetectorTitles> {
  const own = await loadEnabledDetectors(tx);
  return new Map([
    ...(await builtInTitles()),
    ...own.map(({ detectorId, definition }) => [detectorId, definition.title] as const),
  ]);
}

function listed(stored: StoredDetector, withExamples: boolean): ListedDetector {
  const { detectorId, version, enabledVersion, dryRunVersion, updatedBy } = stored;
  const { title, pattern, contextRequired, checksum } = stored.definition;
  return {
    id: detectorId,
    origin: 'custom',
    title,
    family: 'custom',
    version,
    enabled: enabledVersion !== null,
    enabledVersion,
    custom: {
      pattern,
      context: [...stored.definition.context],
      contextRequired,
      checksum,
      examples: withExamples
        ? { hits: [...stored.definition.examples.hits], misses: [...stored.definition.examples.misses] }
        : null,
      dryRunVersion,
      updatedAt: stored.updatedAt.toISOString(),
      updatedBy,
    },
  };
}

/**
 * Adds a disabled detector. Throws `validation_failed` if it contradicts its own examples, and `conflict` if there
 * are too many.
 */
export async function createDetector(tx: Tx, by: By, definition: CustomDefinition): Promise<ListedDetector> {
  await refuseFaults(definition);
  if ((await listCustomDetectors(tx, MAX_DETECTORS)).length >= MAX_DETECTORS)
    throw new ServiceError('conflict', `There are already ${MAX_DETECTORS} detectors. Change one of them.`);
  const detectorId = await insertCustomDetector(tx, definition, by.principal.principalId, by.now);
  audited(by, 'detector_created', detectorId, { version: 1 });
  return afterChange(tx, detectorId);
}

/**
 * Changes a detector. A changed definition is a new version. Scans use the enabled version until the new one is
 * enabled, and that requires a dry run of it. Throws `not_found`, `validation_failed` and `conflict`.
 */
export async function changeDetector(
  tx: Tx,
  by: By,
  detectorId: string,
  { version, enabled, ...changes }: CustomDetectorChange,
): Promise<ListedDetector> {
  const stored = await locked(tx, detectorId);
  if (stored.version !== version)
    throw new ServiceError('conflict', 'The detector has changed since you read it. Read it again.');
  const definition = { ...stored.definition, ...definedOf(changes) };
  const revised = JSON.stringify(definition) !== JSON.stringify(stored.definition);
  if (revised) {
    await refuseFaults(definition);
    await reviseCustomDetector(tx, stored, definition, by.principal.principalId, by.now);
    audited(by, 'detector_revised', detectorId, { version: version + 1 });
  }
  if (enabled !== undefined) {
    const newest = revised ? version + 1 : version;
    if (enabled && stored.dryRunVersion !== newest)
      throw new ServiceError('conflict', 'Do a dry run of this version before you enable it.');
    await enableCustomDetector(tx, detectorId, enabled ? newest : null, by.now);
    audited(by, enabled ? 'detector_enabled' : 'detector_disabled', detectorId, { version: newest });
  }
  return afterChange(tx, detectorId);
}

/** Runs the newest version over retained excerpts and returns counts only. Throws `not_found`. */
export async function dryRunDetector(
  tx: Tx,
  by: By,
  detectorId: string,
): Promise<z.infer<typeof DryRunSchema>> {
  const { version, definition } = await locked(tx, detectorId);
  const { compileCustomDetectors } = await import('../detectors/custom-detector.ts');
  const { detect } = await import('../detectors/engine/detect.ts');
  const detectors = compileCustomDetectors([{ detectorId, version, definition }]);
  const finds = (text: string) => detect(text, detectors).length > 0;
  const builtInExamplesMatched = (await builtInDetectors()).flatMap(({ id, examples: { hits } }) => {
    const count = hits.filter(finds).length;
    return count === 0 ? [] : [{ detectorId: id, count }];
  });
  const searched = await retainedExcerpts(tx, SEARCHED);
  const matched = searched.filter(finds).length;
  await recordDryRun(tx, detectorId, version);
  audited(by, 'detector_dry_run', detectorId, { version, assetsSearched: searched.length });
  return {
    detectorId,
    version,
    builtInExamplesMatched,
    assetsSearched: searched.length,
    assetsMatched: matched < ROUNDED_TO ? null : matched - (matched % ROUNDED_TO),
  };
}

async function locked(tx: Tx, detectorId: string): Promise<StoredDetector> {
  const stored = await lockCustomDetector(tx, detectorId);
  if (stored === null) throw notFound();
  return stored;
}

const afterChange = async (tx: Tx, detectorId: string) => listed(await locked(tx, detectorId), true);

const definedOf = (changes: Omit<CustomDetectorChange, 'version' | 'enabled'>): Partial<CustomDefinition> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));

async function refuseFaults(definition: CustomDefinition): Promise<void> {
  const { faultsOf } = await import('../detectors/custom-detector.ts');
  const faults = faultsOf(definition);
  if (faults.length > 0) throw validationFailed(faults);
}

const audited = ({ audit }: By, type: string, id: string, details: Record<string, number>) =>
  audit({ category: 'governance', type, target: { kind: 'detector', id }, details });
