import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { StoredCheckpoint } from './checkpoints.sql.ts';
import type { StoredEvent } from './verify.ts';

/** Reads a trail page by page in order. An empty page is the end. */
export type TrailReader = {
  /** The checkpoint after which the trail begins. Null if it begins with the first event. */
  after: StoredCheckpoint | null;
  readPage: (afterSeq: number) => Promise<StoredEvent[]>;
  readCheckpoints: (afterNumber: number) => Promise<StoredCheckpoint[]>;
};

export type TrailItem = StoredEvent | StoredCheckpoint;

export const isCheckpoint = (item: TrailItem): item is StoredCheckpoint => 'signature' in item;

/** The events in order, page by page. The next page is read while the caller processes one. */
export async function* eventPages({
  after,
  readPage,
}: Pick<TrailReader, 'after' | 'readPage'>): AsyncGenerator<StoredEvent[], void, undefined> {
  let page = await readPage(after?.seq ?? 0);
  while (page.length > 0) {
    const next = readPage(page.at(-1)?.seq ?? 0);
    // The error is thrown when the page is awaited.
    next.catch(() => undefined);
    // The statement is sent in the next turn of the event loop. The database then reads while the caller processes
    // this page.
    await eventLoopTurn();
    try {
      yield page;
    } finally {
      // A caller that stops early may end the transaction, so the read must finish first.
      await next.catch(() => undefined);
    }
    page = await next;
  }
}

/** The checkpoint after which the trail begins, if there is one, and then the events. */
async function* openedPages(reader: TrailReader): AsyncGenerator<TrailItem[], void, undefined> {
  if (reader.after !== null) yield [reader.after];
  yield* eventPages(reader);
}

/**
 * The events in order, each followed by the checkpoints that sign it. A trail that begins after a checkpoint begins
 * with it. Checkpoints of missing events come last.
 */
export async function* auditTrail(reader: TrailReader): AsyncGenerator<TrailItem[], void, undefined> {
  let checkpoints = await reader.readCheckpoints(reader.after?.number ?? 0);
  let place = 0;
  for await (const page of openedPages(reader)) {
    const items: TrailItem[] = [];
    for (const item of page) {
      items.push(item);
      for (
        let next = checkpoints[place];
        next !== undefined && next.seq <= item.seq;
        next = checkpoints[place]
      ) {
        items.push(next);
        place++;
        if (place < checkpoints.length) continue;
        checkpoints = await reader.readCheckpoints(next.number);
        place = 0;
      }
    }
    yield items;
  }
  while (place < checkpoints.length) {
    const rest = checkpoints.slice(place);
    yield rest;
    checkpoints = await reader.readCheckpoints(rest.at(-1)?.number ?? 0);
    place = 0;
  }
}
