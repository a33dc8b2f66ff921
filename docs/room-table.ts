import { FLOORS, type Room } from './rooms.ts';

/** The rooms as a Markdown table, top to bottom, each floor with a line of its own. */
export function roomTable(rooms: readonly Room[]): string {
  const lines = rooms.flatMap(({ name, floor, holds, face }, at) => {
    const heading = floor === rooms[at - 1]?.floor ? [] : [`| **${floor}** | ${FLOORS[floor]} | |`];
    const imported = face?.map((file) => `\`${file.replace(/\.ts$/, '')}\``).join(', ') ?? '';
    return [...heading, `| \`${name}\` | ${holds} | ${imported} |`];
  });
  return ['| Room | Holds | Other rooms import |', '| --- | --- | --- |', ...lines].join('\n');
}
