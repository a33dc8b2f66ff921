import './refuse-old-node.ts';
import { parseArgs } from 'node:util';
import { CHECKS } from './doctor/checks.ts';
import { reasonOf } from './doctor/reason.ts';
import { reportJson, resultText, summaryText } from './doctor/report.ts';
import { groupOf, isAskedFor, type Result, runChecks, selected } from './doctor/run-checks.ts';
import { openSubject } from './doctor/subject.ts';

const GROUPS = [...new Set(CHECKS.map(({ id }) => groupOf(id)))];

const USAGE = `npm run doctor [-- --json] [--only NAME,NAME]

Examines a deployment with the settings of its environment, and says of each problem what to do. It shows no secret, and
leaves nothing behind.

  --json         print the report as one JSON object
  --only NAMES   run these groups or checks alone, and what they need
  --help         print this

Groups: ${GROUPS.join(', ')}.
docs/operations.md lists the checks.

Ends with 0 if nothing failed, 1 if a check failed, 2 if the command was called wrongly.`;

/** A way to call the command that there is none of. */
class UsageError extends Error {}

async function main(): Promise<number> {
  const { help, json, only } = readOptions();
  if (help) {
    console.log(USAGE);
    return 0;
  }
  const checks = selected(CHECKS, only);
  const idWidth = Math.max(...checks.map(({ id }) => id.length));
  const results: Result[] = [];
  for await (const result of runChecks(checks, openSubject())) {
    // What was run only because another check needs it is of interest where the other one is skipped for it.
    const isProved = result.outcome.status === 'pass' || result.outcome.status === 'warn';
    if (!isAskedFor(result.check, only) && isProved) continue;
    results.push(result);
    if (!json) console.log(resultText(result, idWidth));
  }
  console.log(json ? reportJson(results) : `\n${summaryText(results)}`);
  return results.some(({ outcome }) => outcome.status === 'fail') ? 1 : 0;
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        help: { type: 'boolean', default: false },
      },
    });
    const names = values.only?.flatMap((list) => list.split(',')).map((name) => name.trim());
    const unknown = names?.find((name) => !CHECKS.some((check) => isAskedFor(check, new Set([name]))));
    if (unknown !== undefined)
      throw new UsageError(`There is no group and no check of this name: ${unknown}`);
    return { ...values, only: names === undefined ? null : new Set(names) };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : '');
  }
}

process.exitCode = await main().catch((error: unknown) => {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  console.error(`The doctor itself failed: ${reasonOf(error)}.`);
  return 1;
});
// A check that had no answer in time may still wait for it.
process.exit();
