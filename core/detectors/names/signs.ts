/** What one strong sign is worth: a known name, or words that only names follow. Signs are added up. */
export const ENOUGH = 3;
export const SAME_CLAUSE = /^[\s,'"“„«*(-]{1,4}$/;
/** `Name: …`, also with the value in the next line. */
export const LABEL = /^[^\S\n]{0,8}[:=?][\s"']{0,12}$/;
