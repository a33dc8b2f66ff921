import { z } from 'zod';
import { listOf } from '../kernel/list.ts';
import { RETRY_CLASSES, SCOPE_REFUSALS } from '../kernel/vocabulary.ts';

export const SYNC_DESCRIPTION =
  'Lists what the configuration selects, removes what it no longer selects with its messages, and reads messages for ' +
  'about 15 seconds. A timer continues what is left, and repeats the sync after `SVC_MESSAGE_SYNC_HOURS`. Of a message ' +
  'a preview with masked identifiers is kept, and what detectors found. A source that denies the messages of a ' +
  'channel or mailbox is an `internal_error`; what was read before is stored.';

export const SyncSchema = z.object({
  mode: z.enum(['mock', 'live']),
  complete: z
    .boolean()
    .describe('Whether all that the source has is stored. Otherwise a timer goes on, every minute'),
  interrupted: z
    .enum(RETRY_CLASSES)
    .nullable()
    .describe('Why something could not be read, for example `throttled`. The rest is due later'),
  containers: z
    .object({
      total: z.int().describe('The channels or mailboxes that are selected'),
      covered: z.int().describe('All that the source had at the last sync is stored'),
      refused: z.int().describe('The source refuses them. What was stored before stays'),
      left: z.int().describe('To be continued'),
      notSelected: z
        .int()
        .describe(
          'The configuration names them, and they were left out: `PUT /api/admin/connectors/{family}/selection`',
        ),
    })
    .describe('Channels or mailboxes, by how far they are covered'),
  messages: z
    .object({
      added: z.int().describe('Stored for the first time'),
      changed: z.int().describe('Stored again, because their content has changed'),
      unchanged: z.int().describe('Seen again with the same content'),
      gone: z.int().describe('Deleted, because the source deleted them'),
    })
    .describe('What became of the messages of this round'),
  removed: listOf(
    z.object({ name: z.string(), messages: z.int().describe('How many messages it had') }),
  ).describe('Channels or mailboxes that are no longer selected. They go with their messages'),
  refused: listOf(
    z.object({ entry: z.string().describe('As the configuration names it'), reason: z.enum(SCOPE_REFUSALS) }),
  ).describe('Entries of the configuration that the source refuses'),
});
export type Synced = z.infer<typeof SyncSchema>;
