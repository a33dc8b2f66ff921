import type { z } from 'zod';
import type { MessageFamily } from '../connectors/message-source.ts';
import type { Tx } from '../db/tx.ts';
import { bounded, countedListOf, limitUpTo, rowsToRead } from '../kernel/list.ts';
import { ContainerFilterSchema, countContainers, listContainers } from './container-list.sql.ts';
import { countMessageFindings, listMessageFindings, MessageFindingFilterSchema } from './finding-list.sql.ts';
import { countMessages, listMessages, MessageFilterSchema } from './message-list.sql.ts';
import { MessageContainerSchema, MessageFindingSchema, MessageSchema } from './message-schema.ts';
import { type MessageReader, shownMessages } from './shown-messages.ts';

const limit = limitUpTo(200);

/** What both families answer: the query of each list, and its answer. */
export const CONTAINERS = {
  query: ContainerFilterSchema.extend({ limit }),
  response: countedListOf(MessageContainerSchema),
};
export const MESSAGES = {
  query: MessageFilterSchema.extend({ limit }),
  response: countedListOf(MessageSchema),
};
export const MESSAGE_FINDINGS = {
  query: MessageFindingFilterSchema.extend({ limit }),
  response: countedListOf(MessageFindingSchema),
};

export async function containerList(
  tx: Tx,
  family: MessageFamily,
  { limit, ...filter }: z.infer<typeof CONTAINERS.query>,
) {
  const rows = await listContainers(tx, family, filter, rowsToRead(limit));
  return { ...bounded(rows, limit), ...(await countContainers(tx, family, filter)) };
}

export async function messageList(
  tx: Tx,
  reader: MessageReader,
  family: MessageFamily,
  { limit, ...filter }: z.infer<typeof MESSAGES.query>,
) {
  const { items, truncated } = bounded(await listMessages(tx, family, filter, rowsToRead(limit)), limit);
  return {
    items: await shownMessages(tx, reader, family, items),
    truncated,
    ...(await countMessages(tx, family, filter)),
  };
}

export async function messageFindingList(
  tx: Tx,
  family: MessageFamily,
  { limit, ...filter }: z.infer<typeof MESSAGE_FINDINGS.query>,
) {
  const rows = await listMessageFindings(tx, family, filter, rowsToRead(limit));
  return { ...bounded(rows, limit), ...(await countMessageFindings(tx, family, filter)) };
}
