import { sample } from "fast-check";
import type { OpenApiSpec } from "../../src/openapi/open-api-spec.ts";
import { rightRequest, wrongRequest } from "./described-requests.ts";
import type { Made, Target } from "./described-requests.ts";
import { provoke } from "./provoked-requests.ts";

/** The number of requests, the least number that provoke each status, and the share of valid ones, from 0 to 1. */
type Amounts = { total: number; least: number; rightShare: number };

/** A factor for provoked requests: some miss their status because another request took over their session. */
const spare = 1.5;

/** Generates requests from a description, always the same ones. */
export function makeRequests(
  spec: OpenApiSpec,
  targets: readonly Target[],
  { total, least, rightShare }: Amounts,
): Made[] {
  const numRuns = Math.ceil(least * spare);
  // Each target has values of its own: the same session id, with messages from before, is a conflict the second time.
  const provoked = targets.flatMap((target, index) =>
    statusesOf(target).flatMap((status) =>
      sample(rightRequest(spec, target), { numRuns, seed: 1000 * index + status }).map((made) =>
        provoke(status === 200 ? made : withItsOwnStatus(made), target, status),
      ),
    ),
  );
  const rightLeft = total * rightShare - provoked.filter(({ isRight }) => isRight).length;
  const right = Math.ceil(rightLeft / targets.length);
  const wrong = Math.ceil((total - provoked.length) / targets.length) - right;
  const others = targets.flatMap((target, index) => [
    ...sample(rightRequest(spec, target), { numRuns: right, seed: 1000 * index + 1 }),
    ...sample(wrongRequest(spec, target), { numRuns: wrong, seed: 1000 * index + 2 }),
  ]);
  return [...provoked, ...others];
}

/** A stream whose head is sent early has no other status than 200. */
function withItsOwnStatus(made: Made): Made {
  return { ...made, path: made.path.replace("early=1", "early=0") };
}

/** Returns the described statuses of a target. */
export function statusesOf({ operation }: Target): number[] {
  return Object.keys(operation.responses).map(Number).filter(Number.isFinite);
}
