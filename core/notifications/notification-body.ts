import { z } from 'zod';
import { LIFECYCLE_EVENTS } from '../observability/vocabulary.ts';
import { CHANGE_TYPES, type ChangeType } from './notifications.sql.ts';

/** Maximum number of items processed in one request. */
const MAX_ITEMS = 1_000;

/** Printable ASCII. Sources use it for their ids, and client states consist of it. */
const word = (max: number) => z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`));

/** Fields of every item: its subscription and the proof of origin. */
const Signed = z.object({
  subscriptionId: word(128),
  /** An invalid value counts as missing. */
  clientState: word(128).optional().catch(undefined),
});

/**
 * A change notification. It is only a hint, and other fields are ignored. `missed` exists only as a lifecycle event.
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

/** The list in a body, either under `value` or as the body itself. */
function listed(body: unknown): unknown[] {
  const list = typeof body === 'object' && body !== null && 'value' in body ? body.value : body;
  return Array.isArray(list) ? list.slice(0, MAX_ITEMS) : [];
}

/** Checks each item separately, so that an invalid one is left out without affecting the others. */
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
