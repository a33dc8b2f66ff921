import { z } from 'zod';
import { ContentReasonSchema, ContentStateSchema } from '../assets/asset-schema.ts';
import { listOf } from '../kernel/list.ts';
import { SCOPE_REFUSALS, SEVERITIES } from '../kernel/vocabulary.ts';

const Timestamp = z.iso.datetime();
const Count = z.int().nonnegative();

const CONTAINER_KINDS = ['standard', 'private', 'shared', 'mailbox'] as const;
export const MESSAGE_COVERAGES = ['partial', 'covered', 'refused'] as const;
const ATTACHMENT_KINDS = ['reference', 'file', 'item', 'card'] as const;
export const MESSAGE_FINDING_KINDS = ['outsiders', 'identifiers'] as const;
export const MESSAGE_FINDING_STATUSES = ['open', 'resolved'] as const;

/** A channel or a mailbox. */
export const MessageContainerSchema = z.object({
  containerId: z.string(),
  name: z.string().describe('Of the channel; the address of the mailbox'),
  kind: z.enum(CONTAINER_KINDS),
  groupName: z.string().nullable().describe('The team of the channel. Null for a mailbox'),
  mode: z.enum(['mock', 'live']),
  selected: z
    .boolean()
    .describe('False: it was left out (`PUT /api/admin/connectors/{family}/selection`) and is not synced'),
  audience: z
    .object({
      members: Count.describe('People who can read it, guests and outsiders among them'),
      guests: Count.describe('Members with a guest account'),
      outsiders: Count.describe('Members of other organizations'),
      isOpen: z.boolean().describe('Whether everybody in the organization may join'),
      isComplete: z.boolean().describe('False: the source does not report everybody'),
    })
    .nullable()
    .describe('How many people can read it. Null: the source has not said so'),
  filesFolder: z
    .enum(['known', 'unknown'])
    .nullable()
    .describe('Whether it is known where the files of the channel are. Null for a mailbox'),
  coverage: z
    .enum(MESSAGE_COVERAGES)
    .describe(
      '`covered`: all that the source had at the last sync is stored. `partial`: it is not read to its end yet. ' +
        '`refused`: the source refuses it, and what was stored before stays',
    ),
  refusedReason: z.enum(SCOPE_REFUSALS).nullable().describe('Why the source refuses it. Null: it does not'),
  lastSyncedAt: Timestamp.nullable().describe('When all of it was last read. Null: never yet'),
  dueAt: Timestamp.nullable().describe('When the next sync is due. Null: it is not selected'),
  messages: Count.describe('How many messages are stored'),
  messagesAreExact: z
    .boolean()
    .describe('False: there may be more than `messages`, because only so many were counted'),
  openFindings: Count.describe('Open findings of it and of its messages'),
});
export type ShownContainer = z.infer<typeof MessageContainerSchema>;

export const MessageSignalSchema = z.object({
  detectorId: z.string(),
  title: z.string().describe('The display name of the kind of identifier'),
  count: z.int(),
  confidence: z.number().describe('Highest confidence of any hit, 0 to 1'),
});

const assetName = z.string().nullable().describe('Name of the asset. Null if the caller may not see it');

export const CanonicalDocumentSchema = z.object({
  state: z
    .enum(['inventoried', 'not_inventoried'])
    .describe('`not_inventoried`: its library is not selected, or was not scanned since'),
  assetId: z.string().nullable().describe('Id of the asset. Null: it is not in the inventory'),
  name: assetName,
});

export const AlikeAssetSchema = z.object({ assetId: z.string(), name: assetName });

export const MessageAttachmentSchema = z.object({
  kind: z
    .enum(ATTACHMENT_KINDS)
    .describe(
      '`reference`: a link to a file. `file`, `item`: a copy of a file, or of a message or an event. `card`: text in a frame',
    ),
  name: z.string().nullable().describe('With masked identifiers'),
  mimeType: z.string().nullable(),
  sizeBytes: z.int().nullable(),
  contentState: ContentStateSchema,
  contentReason: ContentReasonSchema.nullable(),
  signals: z.array(MessageSignalSchema),
  canonicalDocument: CanonicalDocumentSchema.nullable().describe(
    'The document that a link is. Null for a copy, and if the source does not say which it is',
  ),
  alike: listOf(AlikeAssetSchema).describe(
    'Assets with the same bytes as a copy. Each stays a thing of its own',
  ),
});

export const MessageSchema = z.object({
  messageId: z.string(),
  containerId: z.string(),
  containerName: z.string().describe('Name of the channel, or address of the mailbox'),
  groupName: z.string().nullable().describe('The team of the channel. Null for a mailbox'),
  isReply: z.boolean().describe('Whether it replies to another message'),
  rootMessageId: z
    .string()
    .nullable()
    .describe('The message that it replies to. Null if it is none, or if that is gone'),
  sentAt: Timestamp.nullable(),
  editedAt: Timestamp.nullable().describe('When its text was last changed. Null: never'),
  hasOutsiders: z
    .boolean()
    .nullable()
    .describe('Whether somebody outside the organization wrote or received it. Null: not known'),
  contentState: ContentStateSchema,
  contentReason: ContentReasonSchema.nullable(),
  preview: z
    .string()
    .nullable()
    .describe('The beginning of the text, with masked identifiers. Null if none is kept'),
  signals: z.array(MessageSignalSchema),
  attachments: z.array(MessageAttachmentSchema).describe('Files, messages and links in it, in their order'),
});
export type ShownMessage = z.infer<typeof MessageSchema>;

export const MessageFindingSchema = z.object({
  findingId: z.string(),
  kind: z
    .enum(MESSAGE_FINDING_KINDS)
    .describe(
      '`identifiers`: a message holds identifiers that prove themselves. `outsiders`: more people can read such messages ' +
        'than those who were named',
    ),
  severity: z.enum(SEVERITIES),
  status: z.enum(MESSAGE_FINDING_STATUSES),
  openedAt: Timestamp,
  unconfirmedSince: Timestamp.nullable().describe(
    'Since when the message cannot be read as a whole, so that nobody knows whether the identifiers are still in it. Null: ' +
      'they were there when it was last read, or it is resolved',
  ),
  resolvedAt: Timestamp.nullable(),
  containerId: z.string(),
  containerName: z.string().describe('Name of the channel, or address of the mailbox'),
  groupName: z.string().nullable().describe('The team of the channel. Null for a mailbox'),
  messageId: z.string().nullable().describe('Null: it is about the whole channel or mailbox'),
  toDo: z.string().nullable().describe('What to do, in one sentence. Null if it is resolved'),
});
export type ShownMessageFinding = z.infer<typeof MessageFindingSchema>;

export const MessageDetailSchema = MessageSchema.extend({
  thread: listOf(MessageSchema).describe('The other messages of its thread, the oldest first'),
  findings: z.array(MessageFindingSchema).describe('Its findings, the newest first'),
});
