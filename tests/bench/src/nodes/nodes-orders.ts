import type { Spread } from "../statistics.ts";
import type { TimeSpan } from "./machine-time.ts";
import type { CallFigures } from "./timed-storage.ts";
import type { TokenFaults } from "./token-tally.ts";

/** The size of a measurement. */
export type NodesLoad = {
  /** The number of runs at a time. */
  runs: number;
  /** Tokens a second of each run. */
  rate: number;
  /** Seconds for which all runs stream and are measured. */
  seconds: number;
};

/** The settings of a process of the service, from its environment. */
export type NodeSettings = { url: string; runs: number; everyMs: number };

/** The orders to the reader: to begin and read all runs, of which it answers when each has a token, and to wait for their ends. */
export type ReaderOrder = { begin: true } | { end: TimeSpan };
/** The figures of the reader. */
export type ReaderAnswer = {
  tokens: number;
  /** From the model to the reader, and from the moment at which the token was due. */
  took: Spread;
  sinceDue: Spread;
  faults: TokenFaults;
  looks: CallFigures;
  /** The times at which sampled tokens were read, by their keys. */
  reads: [key: string, atMs: number][];
};

/** The order to the worker: to end all runs. */
export type WorkerOrder = { end: TimeSpan };
/** The figures of the worker. */
export type WorkerAnswer = {
  /** From the model until the worker knows that the token is stored, for a tenth of the log records. */
  stored: Spread;
  inserts: CallFigures;
  /** The times at which the writes of sampled tokens began, by their keys. */
  writes: [key: string, atMs: number][];
};
