import { type CronSchedule, nextTime, parseNcrontab } from '../../../core/kernel/ncrontab.ts';
import { parseTimeSpan } from './time-span.ts';

export type Schedule =
  | CronSchedule
  | { readonly kind: 'interval'; readonly text: string; readonly ms: number };

/**
 * Parses an NCRONTAB expression of six fields (second minute hour day month weekday) or five (second 0), or a time
 * span `hh:mm:ss`.
 * @throws Error if it is invalid or never occurs
 */
export function parseSchedule(text: string): Schedule {
  const ms = parseTimeSpan(text);
  if (ms === undefined) return { ...parseNcrontab(withSeconds(text)), text };
  if (ms < 1000) throw new Error('A schedule interval must be one second or more.');
  return { kind: 'interval', text, ms };
}

const withSeconds = (text: string) => (text.trim().split(/\s+/).length === 5 ? `0 ${text}` : text);

/** The first occurrence strictly after `after`, in UTC milliseconds. Undefined if there is none. */
export const nextOccurrence = (schedule: Schedule, after: number): number | undefined =>
  schedule.kind === 'interval' ? after + schedule.ms : nextTime(schedule, after);
