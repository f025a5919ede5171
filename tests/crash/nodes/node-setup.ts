import type { NodeMutant } from "./node-mutants.ts";

/** Settings of one process of a service: an API node accepts, streams, answers and cancels runs, a worker performs them. */
export type NodeSetup = {
  role: "api" | "worker";
  /** The name of the process in the log of runs. A process that is started again has a new one. */
  node: string;
  /** The port of an API node. */
  port: number;
  /** The address of the storage, and of the engine too where there is no Redis. */
  postgres: string;
  redis?: string;
  vendorUrl: string;
  /** The address of the remote member of the team. */
  clerkUrl: string;
  /** The file of the tools' effects. */
  effects: string;
  /** The number of runs that a worker performs at a time. */
  concurrency: number;
  /** A part that breaks a promise, in place of the real one. */
  mutant?: NodeMutant;
};

/** A message from the parent: begin to serve, or block the event loop for a time. */
export type NodeOrder = { serve: true } | { blockMs: number };

/** A message to the parent about a run that the sweep submits, and whether the engine had a job of it. */
export type SweptRun = { swept: string; hadJob: boolean; at: number };

/** Strings that are in no part of the engine: a vendor's key, and parts of each question and each answer. */
export const canaries = {
  key: "sk-canary-f2b7c1d05e",
  prompt: "canary-prompt-8d31aa",
  answer: "canary-answer-4e90c7",
} as const;
