import type { LabelObservation, SensitivityLabel } from '../connector.ts';
import { type AssignedLabel, CatalogueLabel, ExtractedLabels, page } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import { pagesOf } from './pages.ts';

const LabelPage = page(CatalogueLabel);
const MAX_PAGES = 20;

/** The catalogue, the weakest label first, a sublabel under the name of its parent. Null without the permission. */
export async function readCatalogue(
  client: GraphClient,
  signal: AbortSignal,
): Promise<SensitivityLabel[] | null> {
  const options = { schema: LabelPage, maxPages: MAX_PAGES, expect: [401, 403, 404] as const, signal };
  const answer = await pagesOf(client, 'label_catalogue', {}, options);
  return answer.ok ? inOrder(answer.body) : null;
}

type Named = Omit<CatalogueLabel, 'sublabels'>;
const nameOf = ({ id, name, displayName }: Named): string => displayName || name || id;

function inOrder(labels: readonly CatalogueLabel[]): SensitivityLabel[] {
  const byPriority = <T extends Named>(some: readonly T[]): T[] =>
    some.toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
  return byPriority(labels).flatMap((label) => [
    { guid: label.id, name: nameOf(label) },
    ...byPriority(label.sublabels ?? []).map((sublabel) => ({
      guid: sublabel.id,
      name: `${nameOf(label)} / ${nameOf(sublabel)}`,
    })),
  ]);
}

/** Far more organizations than pass a file on. */
const MAX_FOREIGN = 20;

/** How labels are understood: the name of one, and the organization that is ours; null if it is not known. */
export type LabelWords = {
  nameOf: (guid: string) => Promise<string>;
  ourTenant: () => Promise<string | null>;
};

/**
 * The label that our organization gave to an item, and those of others. A file that Graph cannot open (423), or may not
 * report (403), is not unlabelled: its label is unknown. So is one with labels of several organizations while nobody
 * knows which of them is ours.
 */
export async function readLabel(
  client: GraphClient,
  values: { driveId: string; itemId: string },
  { nameOf, ourTenant }: LabelWords,
  signal: AbortSignal,
): Promise<LabelObservation> {
  const expect = [400, 401, 403, 404, 405, 409, 410, 415, 422, 423, 501] as const;
  const answer = await client.batched('labels_extract', values, { schema: ExtractedLabels, expect, signal });
  if (!answer.ok) return { state: 'unknown' };
  const labels = answer.body.labels ?? answer.body.value?.labels;
  if (!labels) return { state: 'unknown' };
  const areNamed = labels.some(({ tenantId }) => tenantId);
  const ours = areNamed ? await ourTenant() : null;
  if (areNamed && ours === null) return { state: 'unknown' };
  const isOurs = ({ tenantId }: AssignedLabel) => !tenantId || tenantId === ours;
  const foreign = labels
    .filter((label) => !isOurs(label))
    .slice(0, MAX_FOREIGN)
    .map(({ tenantId, sensitivityLabelId }) => ({ tenantId: tenantId ?? '', labelGuid: sensitivityLabelId }));
  const more = foreign.length === 0 ? {} : { foreign };
  const labelGuid = labels.find(isOurs)?.sensitivityLabelId;
  if (labelGuid === undefined) return { state: 'unlabeled', ...more };
  return { state: 'labeled', labelGuid, labelName: await nameOf(labelGuid), ...more };
}
