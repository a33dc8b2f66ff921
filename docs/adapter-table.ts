import { ADAPTER_TOOLS } from '../core/http/adapter-call.ts';
import type { Endpoint } from '../core/http/declaration.ts';

/** The tools of the adapter as a Markdown table. Throws where a tool calls an endpoint that is not there. */
export function adapterTable(endpoints: readonly Endpoint[]): string {
  const accessOf = ({ method, path }: { method: string; path: string }): string => {
    const called = endpoints.find((each) => each.method === method && each.path === path);
    if (called?.access.kind !== 'can') throw new Error(`${method} ${path} checks no capability`);
    return `\`${called.access.capability}\``;
  };
  const rows = Object.entries(ADAPTER_TOOLS).map(([name, { calls, category }]) => [
    `\`${name}\``,
    calls.map(({ method, path }) => `\`${method} ${path}\``).join(', '),
    [...new Set(calls.map(accessOf))].join(', '),
    `\`${category}\``,
  ]);
  return [['Tool', 'Calls', 'Needs', 'Audited in'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
