import { jsonFrom } from '../json-answer.ts';

/** The fields of cards, and of quoted messages, that people read. In lower case. */
const READ: ReadonlySet<string> = new Set([
  ...['title', 'subtitle', 'text', 'label', 'value', 'summary', 'alttext', 'placeholder', 'messagepreview'],
]);
const MAX_OBJECTS = 10_000;
const MAX_LENGTH = 64 * 1024;

/** The text of a card, a line for each field. Empty if there is none, or the card is not JSON. */
export function cardText(json: string): string {
  const lines: string[] = [];
  const waiting: unknown[] = [jsonFrom(json)];
  for (let seen = 0, length = 0; seen < MAX_OBJECTS && length < MAX_LENGTH; seen++) {
    const value = waiting.pop();
    if (value === undefined) break;
    if (typeof value !== 'object' || value === null) continue;
    const inner: unknown[] = [];
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'object') inner.push(field);
      if (typeof field !== 'string' || !READ.has(name.toLowerCase())) continue;
      lines.push(field);
      length += field.length;
    }
    waiting.push(...inner.slice(0, MAX_OBJECTS).reverse());
  }
  return lines.join('\n').slice(0, MAX_LENGTH).toWellFormed();
}
