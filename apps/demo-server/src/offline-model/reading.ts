/** The texts that a value may be found in. */
export type Reading = {
  /** The question that the value is for. */
  readonly clause: string;
  /** All that was asked. */
  readonly request: string;
  /** What would be answered in words, once tools have been called. */
  readonly known: string;
  /** What the model was told to be. */
  readonly instructions: string;
};
