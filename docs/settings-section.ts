const START = '<!-- settings -->';
const END = '<!-- /settings -->';

/** The text with what stands between the markers replaced. Throws where they are not both there, in this order. */
export function withSettingsTable(text: string, table: string): string {
  const start = text.indexOf(START);
  const end = text.indexOf(END, start);
  if (start < 0 || end < 0) throw new Error(`the text has no ${START} … ${END}`);
  return `${text.slice(0, start)}${START}\n\n${table}\n\n${text.slice(end)}`;
}
