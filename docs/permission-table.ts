import type { CallShape as DriveCall } from '../core/connectors/cloud-drive/allowed-calls.ts';
import type { CallShape } from '../core/connectors/m365/allowed-calls.ts';

/** The calls of Microsoft Graph as a table, in the order of the code. */
export function permissionTable(calls: Readonly<Record<string, CallShape>>): string {
  const rows = Object.values(calls).map(
    ({ method, path, permission, why, without }) =>
      `| \`${method} /${path}\` | ${permission === null ? 'none' : `\`${permission}\``} | ${why} | ${without} |`,
  );
  return ['| Call | Least permission | Why | Without it |', '|---|---|---|---|', ...rows].join('\n');
}

/** The calls of Google Drive, in the order of the code. One scope covers all of them. */
export function driveCallTable(calls: Readonly<Record<string, DriveCall>>): string {
  const rows = Object.values(calls).map(
    ({ path, why, without }) => `| \`GET /${path}\` | ${why} | ${without} |`,
  );
  return ['| Call | Why | Without it |', '|---|---|---|', ...rows].join('\n');
}
