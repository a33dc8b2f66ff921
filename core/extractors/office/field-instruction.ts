import { eqText } from './eq-field.ts';

const LEADS_SOMEWHERE = /^\s*(?:HYPERLINK|INCLUDE\w*|LINK|DDE\w*|DATABASE|IMPORT)\b/i;
const EQ = /^\s*EQ\b/i;
/** A button: where it leads or what it starts, then what stands on it. */
const BUTTON = /^\s*(?:MACRO|GOTO)BUTTON\s+(?:"[^"]*"|\S+)\s/i;

/** What a field does, as in `HYPERLINK "…"`; only what leads or fetches from somewhere is worth reading. */
export const leadsSomewhere = (instruction: string): boolean => LEADS_SOMEWHERE.test(instruction);

/** What a field shows that has no result beside its instruction: a formula, a button. Empty for all others. */
export function shownInstruction(instruction: string): string {
  const name = EQ.exec(instruction) ?? BUTTON.exec(instruction);
  if (name === null) return '';
  const rest = instruction.slice(name[0].length);
  return EQ.test(instruction) ? eqText(rest) : rest.trim();
}
