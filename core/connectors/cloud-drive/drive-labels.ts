import { z } from 'zod';
import { counted, optional, storable, text } from '../cloud-http/answer-fields.ts';
import type { Answer } from '../cloud-http/calls.ts';
import { ConnectorError, isNotGranted, type LabelObservation } from '../connector.ts';
import { blocked, OK, type Probed } from '../probe.ts';
import { type DriveFile, LabelPage } from './drive-answers.ts';
import type { DriveClient } from './drive-client.ts';

/** A label whose field of choices says how sensitive a file is, such as `Confidential`. */
export type DriveLabel = {
  labelId: string;
  fieldId: string;
  /** What each choice is called, by its id, in the order of the label. */
  choices: ReadonlyMap<string, string>;
};

const Choice = z.object({ id: storable, properties: optional(z.object({ displayName: text })) });
const Field = z.object({
  id: storable,
  selectionOptions: optional(z.object({ choices: counted(Choice) })),
});
const Label = z.object({ id: storable, fields: optional(counted(Field)) });

const QUERY = {
  view: 'LABEL_VIEW_FULL',
  fields: 'id,fields(id,selectionOptions(choices(id,properties(displayName))))',
};

/** Why a label is not known here. */
type Unknown = 'scope_missing' | 'not_found';

/**
 * The selected label as it is published, in the name of the administrator.
 * @param selection `LABEL`, or `LABEL/FIELD` if it has several fields of choices
 * @returns why it is not known here: nobody delegated the scope, or Google does not show such a label with choices, as in an
 * edition without labels
 */
export async function readDriveLabel(
  client: DriveClient,
  selection: string,
  signal: AbortSignal,
): Promise<DriveLabel | Unknown> {
  const [labelId = '', fieldId] = selection.split('/');
  try {
    const options = { query: QUERY, schema: Label, expect: [400, 403, 404] as const, signal };
    const answer = await client.call('label', { labelId }, options);
    if (!answer.ok) return 'not_found';
    const field = answer.body.fields?.find(
      (each) => each?.selectionOptions && (fieldId === undefined || each.id === fieldId),
    );
    if (!field) return 'not_found';
    const choices = field.selectionOptions?.choices.flatMap((choice) =>
      choice === null ? [] : [[choice.id, choice.properties?.displayName || choice.id] as const],
    );
    return { labelId: answer.body.id, fieldId: field.id, choices: new Map(choices) };
  } catch (error) {
    const isOff = error instanceof ConnectorError && error.safeDiagnostic.endsWith('_api_not_enabled');
    if (isOff || isNotGranted(error)) return 'scope_missing';
    throw error;
  }
}

export async function probeDriveLabel(
  client: DriveClient,
  selection: string,
  signal: AbortSignal,
): Promise<Probed> {
  const label = await readDriveLabel(client, selection, signal);
  if (label === 'scope_missing') return blocked('missing_permission', 'drive.labels.readonly');
  return label === 'not_found' ? blocked('not_offered', 'SVC_CLOUD_DRIVE_LABEL') : OK;
}

/** The choices that a file has of a label, in the order of the label, the strongest last. */
function choicesOf(labels: LabelPage['labels'], { labelId, fieldId, choices }: DriveLabel): string[] {
  const chosen = labels?.find((each) => each.id === labelId)?.fields?.[fieldId]?.selection ?? [];
  const order = [...choices.keys()];
  return [...chosen].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

/**
 * A part of the version of a file: nobody documents that a label changes the version at Google. It has the choices of all
 * fields of the label, and so does not depend on what the API of labels answers.
 */
export const labelVersionOf = ({ labelInfo }: DriveFile, labelId: string | null): string => {
  const label = labelInfo?.labels?.find(({ id }) => id === labelId);
  const chosen = Object.values(label?.fields ?? {}).flatMap(({ selection }) => selection ?? []);
  return chosen.length === 0 ? '' : `:${chosen.sort().join(',')}`;
};

/** Asks for the label with each file, which costs no call. */
export const includeLabels = ({ labelId }: { labelId: string | null }) =>
  labelId === null ? {} : { includeLabels: labelId };

const MAX_PAGES = 10;

/** The strongest choice of the label on a file. `unlabeled` if Drive lists all labels of the file without one. */
export async function readLabelOf(
  client: DriveClient,
  fileId: string,
  label: DriveLabel,
  signal: AbortSignal,
): Promise<LabelObservation> {
  let pageToken: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: Answer<LabelPage, 403 | 404> = await client.call(
      'labels',
      { fileId },
      {
        query: {
          fields: 'kind,nextPageToken,labels(id,fields)',
          maxResults: 100,
          ...(pageToken !== null && { pageToken }),
        },
        schema: LabelPage,
        expect: [403, 404] as const,
        signal,
      },
    );
    if (!answer.ok) return { state: 'unknown' };
    const choice = choicesOf(answer.body.labels, label).at(-1);
    if (choice !== undefined)
      return { state: 'labeled', labelGuid: choice, labelName: label.choices.get(choice) ?? choice };
    // A label without a choice says neither that the file is sensitive nor that nobody looked at it.
    if (answer.body.labels?.some(({ id }) => id === label.labelId)) return { state: 'unknown' };
    pageToken = answer.body.nextPageToken || null;
    if (pageToken === null) return { state: 'unlabeled' };
  }
  return { state: 'unknown' };
}
