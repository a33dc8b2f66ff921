import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { withClient } from '../../core/db/client.ts';
import type { Call } from '../support/load.ts';

/** A statement as the service sent it. */
export type Recorded = { text: string; values: unknown[] };

/** A statement as the database ran it, also within functions: what it took, and its plan. */
export type Plan = { milliseconds: number; text: string };

/** The statements that one request makes the service send. */
export async function statementsOf(
  service: { child: ChildProcess; url: string },
  call: Call,
): Promise<Recorded[]> {
  service.child.send('record');
  const response = await fetch(`${service.url}${call.path}`, { headers: { cookie: call.cookie } });
  await response.arrayBuffer();
  const answered = once(service.child, 'message');
  service.child.send('end');
  return (await answered)[0] as Recorded[];
}

const SETTINGS = [
  `load 'auto_explain'`,
  'set auto_explain.log_min_duration = 0',
  'set auto_explain.log_analyze = on',
  'set auto_explain.log_buffers = on',
  'set auto_explain.log_nested_statements = on',
  'set auto_explain.log_parameter_max_length = 0',
  `set auto_explain.log_level = 'notice'`,
].join('; ');
const PLAN = /^duration: ([0-9.]{1,20}) ms {2}plan:\n/;
/** A plan that took less says nothing. */
const LEAST_MS = 0.5;

/** Sends the statements once more, in the same transaction as the same role; their plans, the slowest first. */
export async function plansOf(adminUrl: string, statements: readonly Recorded[]): Promise<Plan[]> {
  const plans: Plan[] = [];
  await withClient(adminUrl, async (client) => {
    await client.query(SETTINGS);
    client.on('notice', ({ message = '' }) => {
      const milliseconds = Number(PLAN.exec(message)?.[1]);
      if (milliseconds >= LEAST_MS) plans.push({ milliseconds, text: message });
    });
    for (const { text, values } of statements)
      await client.query(text, values.length === 0 ? undefined : values);
  });
  return plans.sort((a, b) => b.milliseconds - a.milliseconds);
}
