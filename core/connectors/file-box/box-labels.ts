import type { LabelObservation, SensitivityLabel } from '../connector.ts';
import { BoxClassification, type BoxEntry, BoxTemplate } from './box-answers.ts';
import type { BoxClient } from './box-client.ts';

const KEY = 'Box__Security__Classification__Key';

/** The classifications of the enterprise, in the order of its administrators. Empty if it has none, or Box refuses them. */
export async function readCatalogue(client: BoxClient, signal: AbortSignal): Promise<SensitivityLabel[]> {
  const answer = await client.get(
    'classifications',
    {},
    { schema: BoxTemplate, expect: [400, 403, 404], signal },
  );
  if (!answer.ok) return [];
  const options = answer.body.fields.find(({ key }) => key === KEY)?.options ?? [];
  return options.flatMap(({ id, key }) => (key ? [{ guid: id?.toLowerCase() || key, name: key }] : []));
}

/**
 * The classification of a file. Box names it, and the catalogue has its id; without that the name is the id. Where the
 * answer for the file leaves it out, its metadata is asked for: 404 means that there is none.
 */
export async function readLabel(
  client: BoxClient,
  { id: fileId, classification }: BoxEntry,
  catalogue: (signal: AbortSignal) => Promise<SensitivityLabel[]>,
  signal: AbortSignal,
): Promise<LabelObservation> {
  const name =
    classification === undefined
      ? await nameByMetadata(client, fileId, signal)
      : classification === null
        ? 'none'
        : { name: classification.name };
  if (name === 'none') return { state: 'unlabeled' };
  if (name === 'refused' || !name.name) return { state: 'unknown' };
  const label = (await catalogue(signal)).find((each) => each.name === name.name);
  return { state: 'labeled', labelGuid: label?.guid ?? name.name, labelName: name.name };
}

async function nameByMetadata(
  client: BoxClient,
  fileId: string,
  signal: AbortSignal,
): Promise<'none' | 'refused' | { name: string | null | undefined }> {
  const answer = await client.get(
    'classification',
    { fileId },
    { schema: BoxClassification, expect: [403, 404, 405], signal },
  );
  if (!answer.ok) return answer.status === 404 ? 'none' : 'refused';
  return { name: answer.body[KEY] };
}
