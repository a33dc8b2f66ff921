/**
 * Whether a number passes the Luhn check (ISO/IEC 7812). Blanks and hyphens are ignored. Every other character fails.
 */
export function isLuhn(number: string): boolean {
  let sum = 0;
  let count = 0;
  for (let i = number.length - 1; i >= 0; i--) {
    const code = number.charCodeAt(i);
    if (code === 32 || code === 45) continue;
    if (code < 48 || code > 57) return false;
    const digit = code - 48;
    const twice = count % 2 === 0 ? digit : 2 * digit;
    sum += twice > 9 ? twice - 9 : twice;
    count += 1;
  }
  return count > 0 && sum % 10 === 0;
}
