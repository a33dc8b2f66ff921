import { z } from 'zod';
import { LIFECYCLE_EVENTS } from '../observability/vocabulary.ts';
import { CHANGE_TYPES, type ChangeType } from './notifications.sql.ts';

/** Items of one request that are looked at. */
const MAX_ITEMS = 1_000;

/** Printable ASCII, which is what sources make their ids and echo our states of. */
const word = (max: number) => z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`));

/** What every item has: which subscription it is of, and the proof. */
const Signed = z.object({
  subscriptionId: word(128),
  /** One that cannot be ours is the same as none. */
  clientState: word(128).optional().catch(undefined),
});

/**
 * A change notification. It is a hint and no more: nothing of it but these fields is looked at. `missed` comes as a
 * lifecycle event only.
 */
const Notification = Signed.extend({
  changeType: z
    .enum(CHANGE_TYPES)
    .exclude(['missed', 'other'])
    .or(z.string().transform((): ChangeType => 'other'))
    .catch('other'),
});
export type Notification = z.infer<typeof Notification>;

const LifecycleNotification = Signed.extend({ lifecycleEvent: z.enum(LIFECYCLE_EVENTS) });
export type LifecycleNotification = z.infer<typeof LifecycleNotification>;

/** The list in a body, under `value` or bare. */
function listed(body: unknown): unknown[] {
  const list = typeof body === 'object' && body !== null && 'value' in body ? body.value : body;
  return Array.isArray(list) ? list.slice(0, MAX_ITEMS) : [];
}

/** Each item is checked alone: one that is no notification is left out, and takes no other with it. */
const bodyOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (body) => ({ value: listed(body) }),
    z.object({
      value: z
        .array(item.nullable().catch(null))
        .transform((items) => items.filter((each): each is NonNullable<typeof each> => each !== null)),
    }),
  );

export const NotificationBody = bodyOf(Notification);
export const LifecycleBody = bodyOf(LifecycleNotification);
