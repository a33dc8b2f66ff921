/**
 * The remainder modulo 97 (ISO 7064), where letters count as 10 to 35. With correct check digits it is 1. `NaN` if
 * there is any other character.
 */
export function mod97(value: string): number {
  let rest = 0;
  for (let i = 0; i < value.length; i++) {
    const digit = digitOf(value.charCodeAt(i));
    rest = (rest * (digit > 9 ? 100 : 10) + digit) % 97;
  }
  return rest;
}

/** The value in base 36, or `NaN`. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 0x20;
  return letter >= 97 && letter <= 122 ? letter - 87 : Number.NaN;
}
