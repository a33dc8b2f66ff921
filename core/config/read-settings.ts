import type { z } from 'zod';
import { issueMessage } from '../kernel/issue-message.ts';
import { type Environment, takeFiles } from './secret-files.ts';

/**
 * Reads the settings of a schema from the environment and from the files that it names. The problems name settings,
 * never their values.
 * @param inFiles the secrets that a file may hold
 * @param evenEmpty settings of which an empty variable is wrong; any other empty variable is an unset one
 */
export function readSettings<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  env: Environment,
  inFiles: readonly string[],
  evenEmpty: readonly string[] = [],
) {
  const present = Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => name in schema.shape && (value !== '' || evenEmpty.includes(name)),
    ),
  );
  const files = takeFiles(present, inFiles);
  const { data, error } = schema.safeParse(present);
  // What a file should have held is missing because of that file, which is a problem already.
  const issues = error?.issues.filter(({ path }) => !files.has(`${path.join('.')}_FILE`)) ?? [];
  const problems = issues.map((issue) => `${issue.path.join('.')}: ${issueMessage(issue, present)}`);
  return { present, data, problems, fileProblems: messagesOf(files) };
}

/** Problems as they are reported, from what is wrong by setting. */
export const messagesOf = (problems: ReadonlyMap<string, string>): string[] =>
  [...problems].map(([setting, problem]) => `${setting}: ${problem}`);
