/** Why no test of this repository proves a requirement, or a part of it. */
export const REASONS = {
  live: 'a live service of a vendor is needed',
  vendor: 'it is on the side of the vendor of this product',
  decided: 'the product answers differently by decision',
  outgrown: 'the product has outgrown a number',
  beyond: 'a rule for people, or a property that no test measures',
} as const;

/** One promise of the interface specification, with the tests that prove it. */
export type Requirement = {
  /** Its number, or the beginning of its row or sentence. Unique within its section. */
  id: string;
  /** What is promised, in short. */
  says: string;
  /** One to three tests, each as `file: title`. The file is a path below `test/`, without `.test.ts`. */
  proof: readonly string[];
  /** The part that no test here proves, and why. Without any proof, the whole. */
  unproved?: { because: keyof typeof REASONS; why: string };
};

export type Section = {
  title: string;
  /** What the entries are in the specification. */
  kind: 'rule' | 'row' | 'limit' | 'transition';
  requirements: readonly Requirement[];
};

/** A chapter of the specification, with its sections in the order of the document. */
export type Chapter = { title: string; sections: readonly Section[] };
