const LEADS_SOMEWHERE = /^\s*(?:HYPERLINK|INCLUDE\w*|LINK|DDE\w*|DATABASE|IMPORT)\b/i;

/** What a field does, as in `HYPERLINK "…"`; only what leads or fetches from somewhere is worth reading. */
export const leadsSomewhere = (instruction: string): boolean => LEADS_SOMEWHERE.test(instruction);
