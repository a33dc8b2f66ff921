import { parseArgs } from 'node:util';

/** For a command with flags only: ends it with its usage where that is asked for, and with 2 where anything else is. */
export function takeFlags<Flag extends string = never>(
  usage: string,
  ...flags: readonly Flag[]
): Readonly<Record<Flag, boolean>> {
  const options = Object.fromEntries(
    [...flags, 'help'].map((name) => [name, { type: 'boolean', default: false } as const]),
  );
  try {
    const { values } = parseArgs({ options });
    if (values.help !== true) return values as Record<Flag, boolean>;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
  console.log(usage);
  process.exit(0);
}
