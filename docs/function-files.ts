import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../migrations/functions');

/** The file in `migrations/functions/` that defines each database function. */
export const functionFiles = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(FOLDER).flatMap((file) =>
      [...readFileSync(path.join(FOLDER, file), 'utf8').matchAll(/create or replace function (\w+)\(/g)].map(
        ([, name = '']) => [name, `\`${file}\``] as const,
      ),
    ),
  );
