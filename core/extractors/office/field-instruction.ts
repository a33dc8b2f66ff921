import { eqText } from './eq-field.ts';

const LEADS_SOMEWHERE = /^\s*(?:HYPERLINK|INCLUDE\w*|LINK|DDE\w*|DATABASE|IMPORT)\b/i;
const EQ = /^\s*EQ\b/i;
/** A button field: its target or macro, then its label. */
const BUTTON = /^\s*(?:MACRO|GOTO)BUTTON\s+(?:"[^"]*"|\S+)\s/i;

/**
 * Whether a field, such as `HYPERLINK "…"`, links to or includes something. Other instructions are not worth reading.
 */
export const leadsSomewhere = (instruction: string): boolean => LEADS_SOMEWHERE.test(instruction);

/** What a field without a separate result displays: a formula or a button. Empty for all others. */
export function shownInstruction(instruction: string): string {
  const name = EQ.exec(instruction) ?? BUTTON.exec(instruction);
  if (name === null) return '';
  const rest = instruction.slice(name[0].length);
  return EQ.test(instruction) ? eqText(rest) : rest.trim();
}
