import type { ServiceProblem } from "@troupe-internal/toolkit";
import type { ToolEffect, ToolSource } from "@troupe/core";
import type { Answer } from "./fake-service.ts";
import type { UglyAnswer } from "./ugly-answers.ts";

/** Options of a toolkit that the suite sets. */
export type ConnectOptions = {
  baseURL: string;
  timeoutMs?: number;
  /** The credential, when the toolkit needs one. It is left out to test its absence. */
  credential?: string;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
};

/** A tool of a toolkit: a call of it that succeeds, and the answers of the service to its requests. */
export type ToolSample = {
  effect: ToolEffect;
  args: Record<string, unknown>;
  answer: Answer;
  /** Type of the artifact of the result, if it has one. */
  artifact?: string;
  /** Arguments beyond the limits of its schema. */
  wrongArgs: readonly Record<string, unknown>[];
};

/** A toolkit for `toolkitSuite`. */
export type ToolkitSubject = {
  connect(options: ConnectOptions): ToolSource;
  /** All its tools by name. */
  tools: Readonly<Record<string, ToolSample>>;
  /** The option and the environment variables of its credential, if it needs one. */
  credential?: { option: string; environment: readonly string[] };
  /** Problems that it reports of an ugly answer in place of the usual one. */
  problems?: Partial<Record<UglyAnswer, ServiceProblem>>;
  /** Ugly answers that are good ones to this service, each with the reason. */
  notUgly?: Partial<Record<UglyAnswer, string>>;
  /** Cases that the toolkit does not pass, each with its reason. */
  knownGaps?: Record<string, string>;
};
