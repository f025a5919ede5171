import type { ServiceProblem } from "@troupe-internal/toolkit";
import type { ToolEffect, ToolSource } from "@troupe/core";
import type { Answer } from "./fake-service.ts";
import type { UglyAnswer } from "./ugly-answers.ts";

/** Options of a toolkit that the suite sets. */
export type ConnectOptions = {
  baseURL: string;
  timeoutMs?: number;
  /** The credential, if the toolkit needs one. Left out to test its absence. */
  credential?: string;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
};

/** A tool of a toolkit: a successful call of it, and the service's answers to its requests. */
export type ToolSample = {
  effect: ToolEffect;
  args: Record<string, unknown>;
  answer: Answer;
  /** The type of the result's artifact, if it has one. */
  artifact?: string;
  /** Arguments that violate the limits of the tool's schema. */
  wrongArgs: readonly Record<string, unknown>[];
};

/** A toolkit for `toolkitSuite`. */
export type ToolkitSubject = {
  connect(options: ConnectOptions): ToolSource;
  /** All tools of the toolkit by name. */
  tools: Readonly<Record<string, ToolSample>>;
  /** The option and the environment variables of the toolkit's credential, if it needs one. */
  credential?: { option: string; environment: readonly string[] };
  /** Problems that the toolkit reports for an ugly answer instead of the usual problem. */
  problems?: Partial<Record<UglyAnswer, ServiceProblem>>;
  /** Ugly answers that are valid answers of this service, each with the reason. */
  notUgly?: Partial<Record<UglyAnswer, string>>;
  /** Cases that the toolkit does not pass, each with its reason. */
  knownGaps?: Record<string, string>;
};
