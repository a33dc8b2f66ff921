import type { CallShape } from '../core/connectors/m365/allowed-calls.ts';

/** The calls of Microsoft Graph as a table, in the order of the code. */
export function permissionTable(calls: Readonly<Record<string, CallShape>>): string {
  const rows = Object.values(calls).map(
    ({ method, path, permission, why, without }) =>
      `| \`${method} /${path}\` | ${permission === null ? 'none' : `\`${permission}\``} | ${why} | ${without} |`,
  );
  return ['| Call | Least permission | Why | Without it |', '|---|---|---|---|', ...rows].join('\n');
}
