/** Pattern sources for dates inside identifiers: tight, since every number that passes costs a check digit. */
export const MONTH = '(?:0[1-9]|1[0-2])';
export const DAY = '(?:0[1-9]|[12]\\d|3[01])';
