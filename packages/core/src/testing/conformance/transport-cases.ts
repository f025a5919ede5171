import type { ConformanceCases } from "./check-conformance.ts";
import { transportStoredRunCases } from "./transport-stored-run-cases.ts";
import { transportOwnerCases } from "./transport-owner-cases.ts";
import { transportRunCases } from "./transport-run-cases.ts";
import type { TransportHarness } from "./transport-subject.ts";

/**
 * Conformance suite for every transport: the data that its clients may send and receive, the owners of runs, and the
 * causes of their end. Each title contains the id of its rule. A transport without durable runs declares the cases of
 * `transport.stored-…` as known gaps.
 */
export const transportCases = {
  ...transportRunCases,
  ...transportOwnerCases,
  ...transportStoredRunCases,
} satisfies ConformanceCases<TransportHarness>;
