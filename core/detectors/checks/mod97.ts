/** ISO 7064: the rest that a value leaves by 97, letters counting as 10 to 35. A value with its check digits leaves 1. */
export function mod97(value: string): number {
  let rest = 0;
  for (let i = 0; i < value.length; i++) {
    const digit = digitOf(value.charCodeAt(i));
    rest = (rest * (digit > 9 ? 100 : 10) + digit) % 97;
  }
  return rest;
}

/** Of base 36; `NaN` for any other character, as then no rest is one. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 0x20;
  return letter >= 97 && letter <= 122 ? letter - 87 : Number.NaN;
}
