/** How a stream of events is read. */
export interface ReadOptions {
  /** The most bytes that one event may have, line ends aside. @default 1_048_576 */
  maxEventBytes?: number;
  /** Ends the reading: a waiting reader gets `cancelled` at once, and the source is freed. */
  signal?: AbortSignal;
}

/** Far above any event of text; streams that carry images or audio need more. */
export const defaultMaxEventBytes = 1_048_576;
