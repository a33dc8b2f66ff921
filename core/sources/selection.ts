import { z } from 'zod';
import type { SourceFamily } from '../connectors/connector.ts';
import { selectingSettings } from '../integrations/configured-sources.ts';
import { ServiceError, validationFailed } from '../kernel/errors.ts';
import { listOf } from '../kernel/list.ts';

export const MAX_SELECTED = 10_000;
export const MAX_SHOWN = 200;
/** A person waits for the answer. */
export const END_WITHIN_MS = 8_000;

/** What is selected of a source. The scopes of chat and mail are channels and mailboxes, and their assets messages. */
export const SelectionSchema = z.strictObject({
  scopeIds: z
    .array(z.string().min(1).max(64))
    .max(MAX_SELECTED)
    .nullable()
    .describe(
      'The scopes to scan, and no others; of chat and mail, channels and mailboxes (`containerId`). Null: all that the ' +
        'configuration selects',
    ),
  unselected: z
    .enum(['keep', 'end'])
    .describe(
      'What happens to assets of scopes that are not selected. `keep`: they stay as they were last seen. `end`: they leave ' +
        'the inventory as if each had been deleted, and their findings are resolved. Messages are deleted',
    ),
});
export type Selection = z.infer<typeof SelectionSchema>;

export const SelectedSchema = z.object({
  selected: z.int().describe('Scopes that are scanned'),
  notSelected: z.int().describe('Registered scopes that are not scanned'),
  ended: z
    .object({ scopes: z.int().describe('How many scopes'), assets: z.int().describe('How many assets') })
    .describe('What left the inventory by this request'),
  kept: listOf(
    z.object({
      scopeId: z.string().describe('Id of the scope'),
      name: z.string(),
      assets: z.int().describe('How many assets it has'),
    }),
  ).describe('Scopes that are not selected and whose assets stay in the inventory'),
  assetsKept: z.int().describe('Assets of all scopes that are not selected'),
  complete: z.boolean().describe('False: there was no time to end all assets. Send the same request again'),
});
export type Selected = z.infer<typeof SelectedSchema>;

/** The detail of the event `source_selection_set`. */
export const selectionSet = (
  family: SourceFamily,
  unselected: Selection['unselected'],
  { selected, notSelected, ended, assetsKept }: Selected,
) => ({
  category: 'config' as const,
  type: 'source_selection_set',
  target: { kind: 'source_family', id: family },
  details: { unselected, selected, notSelected, assetsEnded: ended.assets, assetsKept },
});

/** The refusal of a selection: it names each id that is not of this source. */
export const notOfSource = (scopeIds: readonly string[], unknown: ReadonlySet<string>): ServiceError =>
  validationFailed(
    scopeIds.flatMap((id, at) =>
      unknown.has(id) ? [{ path: `scopeIds.${at}`, message: 'Must be a scope of this source.' }] : [],
    ),
  );

/** @param again what to do after the configuration was changed */
export const beyondConfiguration = (family: SourceFamily, count: number, again: string): ServiceError =>
  new ServiceError(
    'blocked_capability',
    `The configuration does not select ${count} of these scopes: name them in ${selectingSettings(family)}, and ${again}.`,
  );
