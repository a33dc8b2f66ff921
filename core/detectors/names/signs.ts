/** The score of one strong sign, such as a known name or words that precede only names. Signs add up. */
export const ENOUGH = 3;
export const SAME_CLAUSE = /^[\s,'"“„«*(-]{1,4}$/;
/** The separator in `Name: …`, also if the value is on the next line. */
export const LABEL = /^[^\S\n]{0,8}[:=?][\s"']{0,12}$/;
