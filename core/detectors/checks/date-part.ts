/**
 * Pattern sources for dates inside identifiers. They are narrow, because every number that matches costs a checksum.
 */
export const MONTH = '(?:0[1-9]|1[0-2])';
export const DAY = '(?:0[1-9]|[12]\\d|3[01])';
