/** ISO 7064: the rest that a value leaves by 97, letters counting as 10 to 35. A value with its check digits leaves 1. */
export const mod97 = (value: string): number =>
  [...value].reduce((rest, character) => {
    const digits = Number.parseInt(character, 36);
    return (rest * (digits > 9 ? 100 : 10) + digits) % 97;
  }, 0);
