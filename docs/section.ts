/** The text with the part between `<!-- name -->` and `<!-- /name -->` replaced. Throws where they are not both there, in this order. */
export function withSection(text: string, name: string, content: string): string {
  const [opening, closing] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const start = text.indexOf(opening);
  const end = text.indexOf(closing, start);
  if (start < 0 || end < 0) throw new Error(`the text has no ${opening} … ${closing}`);
  return `${text.slice(0, start)}${opening}\n\n${content}\n\n${text.slice(end)}`;
}
