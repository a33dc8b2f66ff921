import { parseArgs } from 'node:util';

/** For a command without options: ends it with its usage where that is asked for, and with 2 where anything else is. */
export function takeNoOptions(usage: string): void {
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
    if (!values.help) return;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
  console.log(usage);
  process.exit(0);
}
