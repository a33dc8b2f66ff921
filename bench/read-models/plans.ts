import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { withClient } from '../../core/db/client.ts';
import type { Call } from '../support/load.ts';

/** A statement as the service sent it. */
export type Recorded = { text: string; values: unknown[] };

/** A statement that the database ran, also within functions: its duration and plan. */
export type Plan = { milliseconds: number; text: string };

/** The statements that the service sends for one request. */
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
/** Faster plans are left out. */
const LEAST_MS = 0.5;

/** Runs the statements again in one transaction with the same role. Returns their plans, the slowest first. */
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
